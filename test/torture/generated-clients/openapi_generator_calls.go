// Calls operations with the client that openapi-generator generated; writes a line for each: null, or the error.
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
	Arguments map[string]any
}

func main() {
	configuration := generated.NewConfiguration()
	configuration.Servers = generated.ServerConfigurations{{URL: os.Args[1]}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+os.Args[2])
	api := reflect.ValueOf(generated.NewAPIClient(configuration).ReadAPI)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var given call
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			panic(err)
		}
		text, _ := json.Marshal(run(api, given))
		fmt.Println(string(text))
	}
}

// run returns nil or a text.
func run(api reflect.Value, given call) (failure any) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failure = fmt.Sprintf("panic: %v", panicked)
		}
	}()
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	if id, found := given.Arguments["id"]; found {
		arguments = append(arguments, reflect.ValueOf(id))
	}
	request := api.MethodByName(camelCase(given.Operation)).Call(arguments)[0]
	for name, value := range given.Arguments {
		if name == "id" {
			continue
		}
		set := request.MethodByName(strings.ToUpper(name[:1]) + name[1:])
		target := reflect.New(set.Type().In(0))
		text, _ := json.Marshal(value)
		if err := json.Unmarshal(text, target.Interface()); err != nil {
			return err.Error()
		}
		request = set.Call([]reflect.Value{target.Elem()})[0]
	}
	results := request.MethodByName("Execute").Call(nil)
	if err, failed := results[len(results)-1].Interface().(error); failed {
		return err.Error()
	}
	if _, err := json.Marshal(results[0].Interface()); err != nil {
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
