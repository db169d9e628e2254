package main

import (
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// What templates may say of objects of ingress controllers: of HTTPProxies, Routes and F5's servers the fields that
// names and targets are made of; of the others all that the reference decodes.

type HTTPProxy struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            HTTPProxySpec   `json:"spec"`
	Status          HTTPProxyStatus `json:"status"`
}

type HTTPProxySpec struct {
	VirtualHost      *VirtualHost `json:"virtualhost"`
	Includes         []Include    `json:"includes"`
	IngressClassName string       `json:"ingressClassName"`
}

type VirtualHost struct {
	Fqdn string `json:"fqdn"`
}

type Include struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type HTTPProxyStatus struct {
	CurrentStatus string                  `json:"currentStatus"`
	Description   string                  `json:"description"`
	LoadBalancer  core.LoadBalancerStatus `json:"loadBalancer"`
}

type Route struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            RouteSpec   `json:"spec"`
	Status          RouteStatus `json:"status"`
}

type RouteSpec struct {
	Host           string         `json:"host"`
	Subdomain      string         `json:"subdomain"`
	Path           string         `json:"path"`
	To             RouteBackend   `json:"to"`
	Port           *RoutePort     `json:"port"`
	WildcardPolicy RouteWildcards `json:"wildcardPolicy"`
}

type RouteWildcards string

type RouteBackend struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Weight *int32 `json:"weight"`
}

type RoutePort struct {
	TargetPort intstr.IntOrString `json:"targetPort"`
}

type RouteStatus struct {
	Ingress []RouteIngress `json:"ingress"`
}

type RouteIngress struct {
	Host                    string         `json:"host"`
	RouterName              string         `json:"routerName"`
	WildcardPolicy          RouteWildcards `json:"wildcardPolicy"`
	RouterCanonicalHostname string         `json:"routerCanonicalHostname"`
}

type VirtualServer struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            VirtualServerSpec `json:"spec"`
	Status          ServerStatus      `json:"status"`
}

type VirtualServerSpec struct {
	Host                 string   `json:"host"`
	HostAliases          []string `json:"hostAliases"`
	HostGroup            string   `json:"hostGroup"`
	VirtualServerAddress string   `json:"virtualServerAddress"`
	VirtualServerName    string   `json:"virtualServerName"`
	IPAMLabel            string   `json:"ipamLabel"`
}

type TransportServer struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            TransportServerSpec `json:"spec"`
	Status          ServerStatus        `json:"status"`
}

type TransportServerSpec struct {
	Host                 string `json:"host"`
	HostGroup            string `json:"hostGroup"`
	VirtualServerAddress string `json:"virtualServerAddress"`
	VirtualServerPort    int32  `json:"virtualServerPort"`
	VirtualServerName    string `json:"virtualServerName"`
	IPAMLabel            string `json:"ipamLabel"`
}

type ServerStatus struct {
	VSAddress string `json:"vsAddress"`
	Status    string `json:"status"`
}

type IngressRoute struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            IngressRouteSpec `json:"spec"`
}

type IngressRouteTCP struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            IngressRouteSpec `json:"spec"`
}

type IngressRouteUDP struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
}

type IngressRouteSpec struct {
	Routes []IngressRouteRule `json:"routes"`
}

type IngressRouteRule struct {
	Match string `json:"match"`
}

type RouteGroup struct {
	meta.TypeMeta `json:",inline"`
	Metadata      meta.ObjectMeta  `json:"metadata"`
	Spec          RouteGroupSpec   `json:"spec"`
	Status        RouteGroupStatus `json:"status"`
}

type RouteGroupSpec struct {
	Hosts []string `json:"hosts"`
}

type RouteGroupStatus struct {
	LoadBalancer RouteGroupBalancer `json:"loadBalancer"`
}

type RouteGroupBalancer struct {
	RouteGroup []RouteGroupPoint `json:"routeGroup"`
}

type RouteGroupPoint struct {
	IP       string `json:"ip"`
	Hostname string `json:"hostname"`
}

type Proxy struct {
	meta.TypeMeta `json:",inline"`
	Metadata      meta.ObjectMeta `json:"metadata"`
	Spec          ProxySpec       `json:"spec"`
}

type ProxySpec struct {
	Listeners []ProxyListener `json:"listeners"`
}

type ProxyListener struct {
	HTTPListener HTTPListener `json:"httpListener"`
}

type HTTPListener struct {
	VirtualHosts []ProxyHost `json:"virtualHosts"`
}

type ProxyHost struct {
	Domains []string `json:"domains"`
}
