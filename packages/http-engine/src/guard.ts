import type { LookupFunction } from 'node:net';

/** Which addresses a connection may reach. The engine passes it to the guard and never shares connections between scopes. */
export type Scope = 'public' | 'operator';

/** Decides which connections are allowed. The engine opens no socket without asking it. */
export interface ConnectGuard {
  /** Options for `connect` of node:net and node:tls. Throws if the scope forbids the address. */
  connection(
    address: { host: string; port: number },
    scope: Scope,
  ): { host: string; port: number; lookup: LookupFunction };
}
