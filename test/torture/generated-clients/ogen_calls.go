// Calls operations with the client that ogen generated; writes a line for each: null, or the error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	generated "tenantscope.example/generated"
)

type call struct {
	Operation string
	Arguments map[string]json.RawMessage
}

type key struct{}

func (key) Bearer(context.Context, generated.OperationName) (generated.Bearer, error) {
	return generated.Bearer{Token: os.Args[2]}, nil
}

func (key) ApiKey(context.Context, generated.OperationName) (generated.ApiKey, error) {
	return generated.ApiKey{APIKey: os.Args[2]}, nil
}

func main() {
	client, err := generated.NewClient(os.Args[1], key{})
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
	method := client.MethodByName(strings.ReplaceAll(strings.Title(strings.ReplaceAll(given.Operation, "_", " ")), " ", ""))
	if !method.IsValid() {
		return "the client has no such operation"
	}
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	if method.Type().NumIn() > 1 {
		parameters := reflect.New(method.Type().In(1)).Elem()
		for name, value := range given.Arguments {
			field := parameters.FieldByNameFunc(func(one string) bool { return strings.EqualFold(one, name) })
			if !field.IsValid() {
				return "the client has no parameter " + name
			}
			// An optional parameter is a value with a flag.
			if set := field; set.Kind() == reflect.Struct && set.FieldByName("Set").IsValid() {
				set.FieldByName("Set").SetBool(true)
				field = set.FieldByName("Value")
			}
			if err := json.Unmarshal(value, field.Addr().Interface()); err != nil {
				return name + ": " + err.Error()
			}
		}
		arguments = append(arguments, parameters)
	}
	results := method.Call(arguments)
	if err, failed := results[1].Interface().(error); failed {
		return err.Error()
	}
	if name := fmt.Sprintf("%T", results[0].Interface()); !strings.Contains(name, "OK") {
		text, _ := json.Marshal(results[0].Interface())
		return fmt.Sprintf("%s: %.500s", name, text)
	}
	return nil
}
