import type { LookupFunction } from 'node:net';

/** Which addresses a connection may reach. The engine hands it to the guard and keeps connections of each apart. */
export type Scope = 'public' | 'operator';

/** Judges where connections lead. The engine opens no socket without its answer. */
export interface ConnectGuard {
  /** Options for `connect` of node:net and node:tls. Throws where the scope forbids the place. */
  connection(
    place: { host: string; port: number },
    scope: Scope,
  ): { host: string; port: number; lookup: LookupFunction };
}
