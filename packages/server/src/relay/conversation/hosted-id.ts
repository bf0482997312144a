/** How protocols begin the names of calls that their vendors made. */
type Prefix = 'mcp_' | 'ws_' | 'mcptoolu_' | 'srvtoolu_';

/**
 * The id of a call with another protocol's prefix. The rest is unchanged, so that the original id can be restored.
 */
export const hostedId = (id: string, prefix: Prefix): string =>
  prefix + id.replace(/^(mcptoolu|srvtoolu|mcp|ws)_/, '').replace(/\W/g, '_');
