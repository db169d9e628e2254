// The oracle of the template tests: text/template itself, on the real types of Kubernetes.
//
// Without arguments it answers cases, one JSON object a line on standard input and output. With the
// argument "types" it writes the table of Go types that extdns ships (extdns/gotemplate/types.txt).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"sort"
	"strings"
	"text/template"

	istio "istio.io/client-go/pkg/apis/networking/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
	gatewayalpha "sigs.k8s.io/gateway-api/apis/v1alpha2"
)

var roots = []any{
	core.Service{}, core.Node{}, core.Pod{}, networking.Ingress{}, gateway.HTTPRoute{}, gateway.GRPCRoute{},
	gatewayalpha.TLSRoute{}, gatewayalpha.TCPRoute{}, gatewayalpha.UDPRoute{}, &istio.Gateway{}, &istio.VirtualService{},
	HTTPProxy{}, Route{}, VirtualServer{}, TransportServer{}, IngressRoute{}, IngressRouteTCP{}, IngressRouteUDP{},
	RouteGroup{}, Proxy{},
}

var functions = template.FuncMap{
	"contains":   strings.Contains,
	"trimPrefix": strings.TrimPrefix,
	"trimSuffix": strings.TrimSuffix,
	"trim":       strings.TrimSpace,
	"toLower":    strings.ToLower,
	"replace":    func(before, after, text string) string { return strings.ReplaceAll(text, before, after) },
	"isIPv4":     func(text string) bool { ip, err := netip.ParseAddr(text); return err == nil && ip.Is4() },
	"isIPv6":     func(text string) bool { ip, err := netip.ParseAddr(text); return err == nil && ip.Is6() },
	"hasKey":     func(m map[string]string, key string) bool { _, there := m[key]; return there },
	"fromJson": func(text string) any {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return nil
		}
		return value
	},
}

type question struct {
	Template string          `json:"template"`
	Kind     string          `json:"kind"`
	Object   json.RawMessage `json:"object"`
}

type answer struct {
	Parses bool   `json:"parses"`
	Output string `json:"output"`
	Error  string `json:"error"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "types" {
		writeTypes()
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		said, err := json.Marshal(respond(asked))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(said))
	}
}

func respond(asked question) answer {
	parsed, err := template.New("t").Funcs(functions).Parse(asked.Template)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var data any
	for _, root := range roots {
		if kind := reflect.TypeOf(root); kind.Name() == asked.Kind && kind.Name() != "" {
			data = reflect.New(kind).Interface()
			err = json.Unmarshal(asked.Object, data)
		}
	}
	if asked.Kind == "" { // JSON spelling, and no key may be missing
		parsed.Option("missingkey=error")
		err = json.Unmarshal(asked.Object, &data)
	}
	if err != nil {
		panic(err)
	}
	var output strings.Builder
	if err := parsed.Execute(&output, data); err != nil {
		return answer{Parses: true, Error: err.Error()}
	}
	return answer{Parses: true, Output: output.String()}
}

// How a type is written in the table: as in Go, with the API group for its package.
func written(t reflect.Type) string {
	if t.PkgPath() == "main" {
		return "vendors." + t.Name()
	}
	if strings.HasPrefix(t.PkgPath(), "sigs.k8s.io/gateway-api/") {
		return "gateway." + t.Name()
	}
	if strings.HasPrefix(t.PkgPath(), "istio.io/api/") {
		return "istioapi." + t.Name()
	}
	if strings.HasPrefix(t.PkgPath(), "istio.io/client-go/") {
		return "istio." + t.Name()
	}
	if t.Name() != "" && t.PkgPath() != "" {
		parts := strings.Split(strings.TrimSuffix(t.PkgPath(), "/v1"), "/")
		return parts[len(parts)-1] + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + written(t.Elem())
	case reflect.Slice:
		return "[]" + written(t.Elem())
	case reflect.Map:
		return "map[" + written(t.Key()) + "]" + written(t.Elem())
	default:
		return t.String()
	}
}

var opaque = map[string]string{
	"meta.Time": "time", "meta.MicroTime": "time", "intstr.IntOrString": "intorstring", "resource.Quantity": "quantity",
}

var paths = map[string]string{}

func writeTypes() {
	lines := map[string]string{}
	for _, root := range roots {
		describe(reflect.TypeOf(root), lines)
	}
	var names []string
	for name := range lines {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(name, lines[name])
	}
}

func describe(t reflect.Type, lines map[string]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		describe(t.Elem(), lines)
	case reflect.Map:
		describe(t.Key(), lines)
		describe(t.Elem(), lines)
	default:
	}
	name := written(t)
	if t.PkgPath() == "" || t.Name() == "" {
		return
	}
	if where := paths[name]; where != "" && where != t.PkgPath() {
		panic(name + " means two types: " + where + ", " + t.PkgPath())
	}
	paths[name] = t.PkgPath()
	if lines[name] != "" {
		return
	}
	if word := opaque[name]; word != "" {
		lines[name] = word
	} else if t.Kind() == reflect.Interface {
		lines[name] = "any"
	} else if t.Kind() == reflect.Struct {
		lines[name] = "struct"
		lines[name] = fields(t, lines)
	} else if t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
		lines[name] = strings.Replace(name, name, unnamed(t), 1)
		describe(t.Elem(), lines)
	} else {
		lines[name] = t.Kind().String()
	}
}

func unnamed(t reflect.Type) string {
	if t.Kind() == reflect.Map {
		return "map[" + written(t.Key()) + "]" + written(t.Elem())
	}
	return "[]" + written(t.Elem())
}

func fields(t reflect.Type, lines map[string]string) string {
	parts := []string{"struct"}
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() || field.Tag.Get("json") == "-" {
			continue
		}
		mark := ""
		if field.Anonymous {
			mark = "+"
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		for _, word := range strings.Split(field.Tag.Get("protobuf"), ",") {
			if spelled, found := strings.CutPrefix(word, "json="); found && strings.HasPrefix(t.PkgPath(), "istio.io/") {
				key = spelled
			}
		}
		if key == "" && !field.Anonymous {
			continue // one of several, which JSON has in place of this
		}
		describe(field.Type, lines)
		parts = append(parts, fmt.Sprintf("%s%s=%s=%s", mark, field.Name, key, written(field.Type)))
	}
	return strings.Join(parts, " ")
}
