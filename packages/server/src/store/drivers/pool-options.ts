/** How a pool of connections to a database server behaves. */
export interface PoolOptions {
  maxConnections: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** How long a transaction may stand between two statements before the server ends it and frees its locks. */
  idleTransactionMs: number;
  /** Told when a connection broke; the work on it fails by itself. */
  onConnectionError: (error: Error) => void;
}
