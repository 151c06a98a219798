// Calls operations with the client that oapi-codegen generated; writes a line for each: null, or the error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"

	generated "tenantscope.example/generated"
)

type call struct {
	Operation string
	Arguments map[string]any
}

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := generated.NewClientWithResponses(os.Args[1], generated.WithRequestEditorFn(authorize))
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var given call
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			panic(err)
		}
		text, _ := json.Marshal(run(reflect.ValueOf(client), given))
		fmt.Println(string(text))
	}
}

// run returns nil or a text.
func run(client reflect.Value, given call) any {
	method := client.MethodByName(camelCase(given.Operation) + "WithResponse")
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	if id, found := given.Arguments["id"]; found {
		arguments = append(arguments, reflect.ValueOf(id))
		delete(given.Arguments, "id")
	}
	// What is left is a structure with the names of the parameters, for operations that have some.
	if next := len(arguments); next < method.Type().NumIn()-1 {
		parameters := reflect.New(method.Type().In(next).Elem())
		text, _ := json.Marshal(given.Arguments)
		if err := json.Unmarshal(text, parameters.Interface()); err != nil {
			return err.Error()
		}
		arguments = append(arguments, parameters)
	}
	results := method.Call(arguments)
	if err, failed := results[1].Interface().(error); failed {
		return err.Error()
	}
	response := results[0].Elem()
	parsed := response.FieldByName("JSON200")
	body := response.FieldByName("Body").Bytes()
	if parsed.IsNil() && response.FieldByName("ApplicationoscalJSON200").IsValid() {
		// Where a response has two forms of JSON, the client compares Content-Type with a text that has no charset, and parses nothing.
		parsed = reflect.New(parsed.Type().Elem())
		if err := json.Unmarshal(body, parsed.Interface()); err != nil {
			return err.Error()
		}
	}
	if parsed.IsNil() {
		return fmt.Sprintf("nothing parsed: %.500s", body)
	}
	if _, err := json.Marshal(parsed.Interface()); err != nil {
		return err.Error()
	}
	return nil
}

func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for index, part := range parts {
		parts[index] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "")
}
