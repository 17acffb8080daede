// Prints how Kubernetes' decoder reads null members of maps: one line of JSON for each field that is a map.
package main

import (
	"encoding/json"
	"fmt"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func show(name, given string, into any) {
	if err := json.Unmarshal([]byte(given), into); err != nil {
		fmt.Printf("{\"field\":%q,\"given\":%s,\"error\":%q}\n", name, given, err.Error())
		return
	}
	read, _ := json.Marshal(into)
	fmt.Printf("{\"field\":%q,\"given\":%s,\"read\":%s}\n", name, given, read)
}

func main() {
	show("meta.ObjectMeta.labels", `{"labels":{"a":null,"b":"c"}}`, &meta.ObjectMeta{})
	show("meta.ObjectMeta.annotations", `{"annotations":{"a":null,"b":"c"}}`, &meta.ObjectMeta{})
	show("meta.LabelSelector.matchLabels", `{"matchLabels":{"a":null,"b":"c"}}`, &meta.LabelSelector{})
	show("core.ResourceRequirements.limits", `{"limits":{"cpu":null,"memory":"1Gi"}}`, &core.ResourceRequirements{})
	show("core.ResourceRequirements.requests", `{"requests":{"cpu":null,"memory":"1Gi"}}`, &core.ResourceRequirements{})
	show("core.VolumeResourceRequirements.limits", `{"limits":{"storage":null,"a":"1Gi"}}`, &core.VolumeResourceRequirements{})
	show("core.VolumeResourceRequirements.requests", `{"requests":{"storage":null,"a":"1Gi"}}`, &core.VolumeResourceRequirements{})
	show("core.PodSpec.nodeSelector", `{"containers":null,"nodeSelector":{"a":null,"b":"c"}}`, &core.PodSpec{})
	show("core.PodSpec.overhead", `{"containers":null,"overhead":{"cpu":null,"memory":"1Gi"}}`, &core.PodSpec{})
	show("core.CSIVolumeSource.volumeAttributes", `{"driver":"d","volumeAttributes":{"a":null,"b":"c"}}`, &core.CSIVolumeSource{})
	show("core.FlexVolumeSource.options", `{"driver":"d","options":{"a":null,"b":"c"}}`, &core.FlexVolumeSource{})
	show("core.ConfigMap.data", `{"data":{"a":null,"b":"c"}}`, &core.ConfigMap{})
	show("core.ConfigMap.binaryData", `{"binaryData":{"a":null,"b":"Yw=="}}`, &core.ConfigMap{})
	show("core.ContainerStatus.allocatedResources", `{"name":"a","ready":true,"restartCount":0,"image":"","imageID":"","allocatedResources":{"cpu":null,"memory":"1Gi"}}`, &core.ContainerStatus{})
}
