import { product } from '@tollgate/contract';

/** Environment variables of the original without effect here, with the reason. */
const reasons: Readonly<Record<string, string>> = {
  SQL_MAX_IDLE_CONNS: 'idle connections are closed by themselves; SQL_MAX_OPEN_CONNS is the bound',
  SQL_MAX_LIFETIME: 'a connection that no longer works is replaced',
  REDIS_POOL_SIZE: 'one connection carries all calls of a process',
  MEMORY_CACHE_ENABLED:
    'keys, options and channels are always kept in memory, and changes reach every process',
  NODE_TYPE: 'all processes are equal',
  FRONTEND_BASE_URL: 'every process serves the console',
  BATCH_UPDATE_ENABLED: 'settlements are always committed in groups, and none waits',
  BATCH_UPDATE_INTERVAL: 'settlements are always committed in groups, and none waits',
  GEMINI_SAFETY_SETTING: 'the setting gemini.safety_settings in the console says so',
  GET_MEDIA_TOKEN: 'what the vendor counts is charged, and an estimate where it counts nothing',
  GET_MEDIA_TOKEN_NOT_STREAM: 'what the vendor counts is charged, and an estimate where it counts nothing',
  UPDATE_TASK: 'open tasks are always followed, each by one process',
  TIKTOKEN_CACHE_DIR: `the vocabularies come with ${product.name}`,
  DEBUG: 'LOG_LEVEL says what is logged',
  GIN_MODE: 'LOG_LEVEL says what is logged',
  ENABLE_PPROF: 'METRICS_PORT serves figures for Prometheus',
  TLS_INSECURE_SKIP_VERIFY: 'certificates of others are always checked',
  RELAY_MAX_IDLE_CONNS: 'UPSTREAM_MAX_CONNECTIONS is the bound; idle connections are closed by themselves',
  RELAY_MAX_IDLE_CONNS_PER_HOST:
    'UPSTREAM_MAX_CONNECTIONS is the bound; idle connections are closed by themselves',
  RELAY_IDLE_CONN_TIMEOUT: 'idle connections are closed by themselves',
  TASK_QUERY_LIMIT: 'all open tasks are followed',
  TASK_TIMEOUT_MINUTES: 'each kind of task has its own longest time',
  LOG_SQL_CLICKHOUSE_TTL_DAYS: 'the setting LogRetentionDays in the console says so',
  NODE_NAME: 'all processes are equal',
  SYNC_UPSTREAM_BASE: 'the setting PriceSyncSources in the console names the lists of prices',
  GOOGLE_ANALYTICS_ID: 'pages load nothing that counts visitors',
  UMAMI_WEBSITE_ID: 'pages load nothing that counts visitors',
};

/** One line for each environment variable that is set, exists in the original and has no effect here. */
export const notRead = (raw: Record<string, string | undefined>): string[] =>
  Object.entries(reasons)
    .filter(([name]) => (raw[name]?.trim() ?? '') !== '')
    .map(([name, reason]) => `${name} is set and does nothing here: ${reason}`);
