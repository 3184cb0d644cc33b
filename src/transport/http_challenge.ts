// What a client without the right token is told (design I1): RFC 6750's challenge, and where RFC 9728's document is.

/** Whose tokens are taken. */
export interface Resource {
  /** The public address of this server; tokens are for it. */
  readonly audience: string;
  readonly issuer: string;
  /** Scopes that every token needs. */
  readonly scopes: readonly string[];
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** The challenge of a 401 or 403; without an error where no token came at all. */
export function challenge(
  resource: Resource,
  problem: {
    readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
    readonly description?: string;
    readonly scopes: readonly string[];
  },
): string {
  const { error, description, scopes } = problem;
  const parts = [
    ...(error === undefined ? [] : [['error', error] as const]),
    ...(description === undefined ? [] : [['error_description', description] as const]),
    ...(scopes.length === 0 ? [] : [['scope', scopes.join(' ')] as const]),
    ['resource_metadata', metadataAddress(resource)] as const,
  ];
  return `Bearer ${parts.map(([name, value]) => `${name}="${quotable(value)}"`).join(', ')}`;
}

function quotable(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/g, ' ').replaceAll(/["\\]/g, "'");
}

function metadataAddress({ audience }: Resource): string {
  return new URL(metadataPath(audience), audience).href;
}

/** The path of the document that belongs to this resource: the resource's own path comes behind the well-known one. */
function metadataPath(audience: string): string {
  return `${wellKnown}${new URL(audience).pathname.replace(/\/$/, '')}`;
}

/** True for the paths under which the document is served: the resource's own, that of /mcp, and the bare one. */
export function isMetadataPath(path: string, { audience }: Resource): boolean {
  return path === wellKnown || path === `${wellKnown}/mcp` || path === metadataPath(audience);
}

/** RFC 9728's document: who gives tokens for this server. */
export function metadataDocument({ audience, issuer, scopes }: Resource): Readonly<Record<string, unknown>> {
  return {
    resource: audience,
    authorization_servers: [issuer],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    resource_name: 'Context assembly memory',
  };
}
