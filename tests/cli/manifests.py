"""Small manifests that the tests of the command line work on."""

SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: logs
spec:
  selector:
    matchLabels:
      app: web
  containers:
  - name: log-agent
    image: registry.example.com/log-agent:2.4.1
"""

DEPLOYMENT = """\
# the shop's front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2   # by hand
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      # the app
      - name: web
        image: registry.example.com/web:1.0
"""

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}}
"""

BAD_TYPE = DEPLOYMENT.replace("image: registry.example.com/web:1.0", "image: 5")
BAD_YAML = "apiVersion: v1\nkind: Pod\n  metadata: {}\n"
REJECTED = DEPLOYMENT.replace(
    "labels: {app: web}",
    "labels: {app: web}\n      annotations: {kruise.io/sidecarset-hash: 'not json'}",
)
