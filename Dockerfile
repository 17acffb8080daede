# sidecarctl in a container. The entry point is the KRM function, so that kpt and kustomize run the image as it is:
#   kpt fn eval apps --image IMAGE --fn-config inject.yaml
# The command line: docker run --rm --volume "$PWD:/work" --entrypoint sidecarctl IMAGE inject -s sets/ apps/
ARG PYTHON=3.13
FROM python:${PYTHON}-slim AS wheels
WORKDIR /source
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY man man
COPY schemas schemas
COPY sidecarctl sidecarctl
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .
RUN python -m pip download --no-cache-dir --only-binary :all: --constraint constraints.txt --dest /wheels /wheels/sidecarctl-*.whl

FROM python:${PYTHON}-slim
COPY --from=wheels /wheels /wheels
RUN python -m pip install --no-cache-dir --no-index --find-links /wheels sidecarctl && rm -r /wheels
RUN python -m compileall -q "$(python -c 'import sidecarctl; print(sidecarctl.__path__[0])')"
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["sidecarctl-fn"]
