/** How a pool of connections to a database server behaves. */
export interface PoolOptions {
  maxConnections: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** How long a transaction may stand between two statements before the server ends it and frees its locks. */
  idleTransactionMs: number;
  /**
   * How long a connection in use may bring no byte before it is given up (`SilenceLimit`): longer than a transaction may stand;
   * five seconds longer unless told.
   */
  silenceMs?: number | undefined;
  /** Told when a connection broke; the work on it fails by itself. */
  onConnectionError: (error: Error) => void;
}
