/** How protocols begin the names of calls that their vendors made. */
type Prefix = 'mcp_' | 'ws_' | 'mcptoolu_' | 'srvtoolu_';

/**
 * The name of a call as another protocol wants it: it keeps what stands behind the prefix, so that it has the same name
 * again when it comes back.
 */
export const hostedId = (id: string, prefix: Prefix): string =>
  prefix + id.replace(/^(mcptoolu|srvtoolu|mcp|ws)_/, '').replace(/\W/g, '_');
