// Writes random pods, one a line, with what the scheduler's formula says of each with and without its sidecars.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

const cases = 200

type total struct {
	Requests v1.ResourceList `json:"requests"`
	Limits   v1.ResourceList `json:"limits"`
}

type recorded struct {
	Spec     v1.PodSpec `json:"spec"`
	Sidecars []string   `json:"sidecars"`
	All      total      `json:"all"`
	Without  total      `json:"without"`
}

var quantities = map[v1.ResourceName][]string{
	"cpu":               {"0", "1m", "100m", "250m", "0.5", "1", "1500m", "2e0", "3"},
	"memory":            {"0", "64Mi", "1Gi", "1500M", "0.5Gi", "128974848", "1e9", "100k"},
	"ephemeral-storage": {"1Gi", "500M"},
	"hugepages-2Mi":     {"2Mi", "64Mi"},
	"example.com/gpu":   {"1", "2"},
}
var usual = []v1.ResourceName{"cpu", "memory", "cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu"}

func list(random *rand.Rand, most int) v1.ResourceList {
	found := v1.ResourceList{}
	for range random.Intn(most + 1) {
		name := usual[random.Intn(len(usual))]
		texts := quantities[name]
		found[name] = resource.MustParse(texts[random.Intn(len(texts))])
	}
	return found
}

func containers(random *rand.Rand, prefix string, number int, native bool) []v1.Container {
	var found []v1.Container
	always := v1.ContainerRestartPolicyAlways
	for index := range number {
		container := v1.Container{
			Name:      fmt.Sprintf("%s%d", prefix, index),
			Resources: v1.ResourceRequirements{Requests: list(random, 3), Limits: list(random, 3)},
		}
		for name, limit := range container.Resources.Limits { // as the API server does
			if _, given := container.Resources.Requests[name]; !given {
				container.Resources.Requests[name] = limit.DeepCopy()
			}
		}
		if native && random.Intn(2) == 0 {
			container.RestartPolicy = &always
		}
		found = append(found, container)
	}
	return found
}

func spec(random *rand.Rand) v1.PodSpec {
	made := v1.PodSpec{
		InitContainers: containers(random, "i", random.Intn(5), true),
		Containers:     containers(random, "c", 1+random.Intn(4), false),
	}
	if random.Intn(3) == 0 {
		made.Overhead = list(random, 2)
	}
	if random.Intn(5) == 0 {
		made.Resources = &v1.ResourceRequirements{Requests: list(random, 2), Limits: list(random, 2)}
	}
	return made
}

func without(spec v1.PodSpec, gone map[string]bool) v1.PodSpec {
	kept := func(containers []v1.Container) []v1.Container {
		var found []v1.Container
		for _, container := range containers {
			if !gone[container.Name] {
				found = append(found, container)
			}
		}
		return found
	}
	spec.InitContainers, spec.Containers = kept(spec.InitContainers), kept(spec.Containers)
	return spec
}

func of(spec v1.PodSpec) total {
	pod := &v1.Pod{Spec: *spec.DeepCopy()} // the formula adds the overhead to quantities of the pod itself
	options := resourcehelper.PodResourcesOptions{}
	return total{resourcehelper.PodRequests(pod, options), resourcehelper.PodLimits(pod, options)}
}

func main() {
	random := rand.New(rand.NewSource(1))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for range cases {
		made := spec(random)
		names, gone := []string{}, map[string]bool{}
		for _, container := range append(append([]v1.Container{}, made.InitContainers...), made.Containers...) {
			if container.Name != "c0" && random.Intn(2) == 0 {
				names, gone[container.Name] = append(names, container.Name), true
			}
		}
		line, err := json.Marshal(recorded{made, names, of(made), of(without(made, gone))})
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(line))
	}
}
