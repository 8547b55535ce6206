# One static program, no shell, no root, nothing that is written but /data:
#
#   docker build -t holotype .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges -v holotype:/data -p 127.0.0.1:4280:4280 holotype
#
# Within a container every address is the container's own; what reaches it is what the host publishes. Publish on the host's
# loopback alone, as above, or put TLS or a proxy in front, say so in a configuration, and take --insecure-listen away.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make static BIN=/out/holotype && mkdir /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/holotype /usr/bin/holotype
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV HOME=/data
VOLUME ["/data"]
EXPOSE 4280
ENTRYPOINT ["/usr/bin/holotype"]
CMD ["serve", "--data", "/data", "--listen", "0.0.0.0:4280", "--insecure-listen"]
