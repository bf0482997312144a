import type { AbilityTable } from './ability.ts';
import type { AccessTokenTable } from './sign-in/access-token.ts';
import type { AccountTable } from './account.ts';
import type { AuditTable } from './audit.ts';
import type { ChangeMarkTable } from './change-mark.ts';
import type { ChannelCostTable } from './costs/channel-cost.ts';
import type { ChannelKeyTable, ChannelTable } from './channel.ts';
import type { HoldTable } from './hold.ts';
import type { IdempotentCallTable } from './idempotent-call.ts';
import type { IdentityTable } from './sign-in/identity.ts';
import type { LedgerTable } from './ledger.ts';
import type { LogTable } from './log.ts';
import type { LogChangeTable } from './log-change.ts';
import type { LogHourMarkTable, LogHourTable } from './log-hour.ts';
import type { MailCodeTable } from './sign-in/mail-code.ts';
import type { OptionTable } from './option.ts';
import type { QuotaDataTable } from './quota-data.ts';
import type { RedemptionTable } from './redemption.ts';
import type {
  AuthenticatorTable,
  FactorTryTable,
  PasskeyChallengeTable,
  PasskeyTable,
  RecoveryCodeTable,
  SignInTicketTable,
} from './sign-in/second-factor.ts';
import type { SessionTable } from './sign-in/session.ts';
import type { ReratingRowTable, ReratingTable } from './rerating.ts';
import type { SetupTable } from './setup.ts';
import type { SignInProviderTable } from './sign-in/sign-in-provider.ts';
import type { SignInStartTable } from './sign-in/sign-in-start.ts';
import type { StoredResponseTable } from './stored-response.ts';
import type { TaskTable } from './task.ts';
import type { TeamInvitationTable } from './team/team-invitation.ts';
import type { TeamMemberTable } from './team/team-member.ts';
import type { TeamTable } from './team/team.ts';
import type { TokenTable } from './token.ts';
import type { TopUpTable } from './top-up.ts';
import type { UsageReportTable } from './costs/usage-report.ts';
import type { UserTable } from './user.ts';

/** How often a notice went out within its window, for all processes of a site together. */
interface NoticeCountTable {
  /** What is counted: user and kind of notice. */
  name: string;
  /** Unix ms at which the window began. */
  since: number;
  count: number;
}

/** A key of channels that one process is renewing at its vendor: no other may begin to. */
interface KeyRenewalTable {
  /** SHA-256 of the key as it was before, hex. */
  key_hash: string;
  /** Unix ms; a process that has not ended by then has died over it. */
  until: number;
}

/** Keys that outlive the master key they came with, sealed. */
interface KeptKeyTable {
  name: string;
  key_sealed: string;
}

/** Every table, by its name in the database. */
export interface Database {
  access_tokens: AccessTokenTable;
  abilities: AbilityTable;
  accounts: AccountTable;
  audit: AuditTable;
  authenticators: AuthenticatorTable;
  change_marks: ChangeMarkTable;
  channel_costs: ChannelCostTable;
  channel_keys: ChannelKeyTable;
  channels: ChannelTable;
  factor_tries: FactorTryTable;
  holds: HoldTable;
  idempotent_calls: IdempotentCallTable;
  stored_responses: StoredResponseTable;
  identities: IdentityTable;
  kept_keys: KeptKeyTable;
  key_renewals: KeyRenewalTable;
  ledger: LedgerTable;
  log_changes: LogChangeTable;
  log_hour_marks: LogHourMarkTable;
  log_hours: LogHourTable;
  logs: LogTable;
  mail_codes: MailCodeTable;
  notice_counts: NoticeCountTable;
  options: OptionTable;
  passkey_challenges: PasskeyChallengeTable;
  passkeys: PasskeyTable;
  quota_data: QuotaDataTable;
  recovery_codes: RecoveryCodeTable;
  redemptions: RedemptionTable;
  rerating_rows: ReratingRowTable;
  reratings: ReratingTable;
  sessions: SessionTable;
  setups: SetupTable;
  sign_in_providers: SignInProviderTable;
  sign_in_starts: SignInStartTable;
  sign_in_tickets: SignInTicketTable;
  tasks: TaskTable;
  team_invitations: TeamInvitationTable;
  team_members: TeamMemberTable;
  teams: TeamTable;
  tokens: TokenTable;
  top_ups: TopUpTable;
  usage_reports: UsageReportTable;
  users: UserTable;
}
