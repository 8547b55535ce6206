// An authorization server at a port of this machine (0 for any), with registration, PKCE, rotation, resource indicators and the issuer in its
// answers. It says where it is once it listens, and ends with its standard input.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const [port, secret, seconds] = process.argv.slice(2)
const server = createServer()
server.listen(Number(port), '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'resource', client_secret: secret, redirect_uris: [], grant_types: [], response_types: [] }],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    scopes: ['offline_access', 'read', 'write'],
    features: {
      devInteractions: { enabled: true },
      introspection: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({ audience, scope: 'read write', accessTokenFormat: 'opaque', accessTokenTTL: Number(seconds) }),
      },
    },
  })
  server.on('request', provider.callback())
  console.log(issuer)
})
process.stdin.on('end', () => process.exit()).resume()
