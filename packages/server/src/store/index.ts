// The only door of the store: how it opens, what its rows look like, and one namespace of plain functions per table.
export { SchemaTooNew, migrate } from './migrate.ts';
export { openStore } from './open.ts';
export type { Store, StoreOptions } from './open.ts';
export type { SqliteAccess } from './drivers/sqlite-file.ts';
export { dialectOf, inTransaction } from './db.ts';
export type { DatabaseKind, Db, DialectHelpers } from './dialects/types.ts';

export type * from './schema/index.ts';
export type { AbilityTable } from './schema/ability.ts';
export type { AccountTable } from './schema/account.ts';
export type { ChannelTable } from './schema/channel.ts';
export type { HoldTable } from './schema/hold.ts';
export type { LedgerTable } from './schema/ledger.ts';
export type { LogTable } from './schema/log.ts';
export type { OptionTable } from './schema/option.ts';
export type { QuotaDataTable } from './schema/quota-data.ts';
export type { RedemptionTable } from './schema/redemption.ts';
export type { SessionTable } from './schema/session.ts';
export type { SetupTable } from './schema/setup.ts';
export type { TokenTable } from './schema/token.ts';
export type { TopUpTable } from './schema/top-up.ts';
export type { UserTable } from './schema/user.ts';

export * as abilities from './tables/abilities.ts';
export * as accounts from './tables/accounts.ts';
export * as changeMarks from './tables/change-marks.ts';
export * as channels from './tables/channels.ts';
export * as logs from './tables/logs.ts';
export * as logSums from './tables/log-sums.ts';
export * as options from './tables/options.ts';
export * as quotaData from './tables/quota-data.ts';
export * as redemptions from './tables/redemptions.ts';
export * as sessions from './tables/sessions.ts';
export * as setups from './tables/setups.ts';
export * as tokens from './tables/tokens.ts';
export * as topUps from './tables/top-ups.ts';
export * as users from './tables/users.ts';

export * as balances from './tables/balances.ts';
export * as bookRows from './tables/books.ts';
export * as holds from './tables/holds.ts';
export * as ledger from './tables/ledger.ts';
export * as nodeBeats from './tables/node-beats.ts';
export { StaleBooks } from './tables/balances.ts';
export type { HourEntry, LedgerEntry, LogEntry, SettledRow } from './tables/ledger.ts';
export { writeBatch } from './tables/ledger-batch.ts';
export { SqliteLedger } from './tables/ledger-batch-sqlite.ts';
export { WalSync } from './drivers/wal-sync.ts';
