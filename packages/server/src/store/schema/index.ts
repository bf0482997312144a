import type {
  AbilityTable,
  ChannelKeyTable,
  ChannelMinuteTable,
  ChannelTable,
  IdempotentCallTable,
  KeptPartTable,
  KeptResponseTable,
  VendorObjectTable,
  BatchItemTable,
  TaskTable,
  KeyRenewalTable,
} from './calls.ts';
import type {
  AccessTokenTable,
  IdentityTable,
  MailCodeTable,
  AuthenticatorTable,
  FactorTryTable,
  PasskeyChallengeTable,
  PasskeyTable,
  RecoveryCodeTable,
  ScimGroupTable,
  ScimMemberTable,
  ScimUserTable,
  SignInTicketTable,
  SessionTable,
  SignInProviderTable,
  SignInStartTable,
  TeamInvitationTable,
  TeamMemberTable,
  TeamTable,
  TokenTable,
  UserTable,
} from './people.ts';
import type {
  AccountTable,
  AutoTopUpTable,
  BudgetTable,
  BudgetWarningTable,
  ChannelCostTable,
  GrantTable,
  HoldTable,
  InvoiceNumberTable,
  InvoiceTable,
  LedgerMonthTable,
  LedgerTable,
  ReceiptKeyTable,
  ReceiptTable,
  PlanTable,
  RedemptionTable,
  ReratingRowTable,
  ReratingTable,
  StatementMailTable,
  SubscriptionTable,
  TopUpTable,
  UsageReportTable,
} from './money.ts';
import type {
  AlarmDeliveryTable,
  AlarmPlaceTable,
  AlarmTable,
  AuditTable,
  ChangeMarkTable,
  OptionTable,
  SetupTable,
  NoticeCountTable,
  KeptKeyTable,
} from './site.ts';
import type {
  LogTable,
  LogChangeTable,
  LogHourMarkTable,
  LogHourTable,
  LogTagTable,
  QuotaDataTable,
} from './upkeep.ts';

/** Every table, by its name in the database. */
export interface Database {
  access_tokens: AccessTokenTable;
  abilities: AbilityTable;
  accounts: AccountTable;
  alarms: AlarmTable;
  alarm_deliveries: AlarmDeliveryTable;
  alarm_places: AlarmPlaceTable;
  audit: AuditTable;
  authenticators: AuthenticatorTable;
  budgets: BudgetTable;
  budget_warnings: BudgetWarningTable;
  change_marks: ChangeMarkTable;
  channel_costs: ChannelCostTable;
  channel_keys: ChannelKeyTable;
  channel_minutes: ChannelMinuteTable;
  channels: ChannelTable;
  factor_tries: FactorTryTable;
  grants: GrantTable;
  holds: HoldTable;
  idempotent_calls: IdempotentCallTable;
  vendor_objects: VendorObjectTable;
  batch_items: BatchItemTable;
  kept_parts: KeptPartTable;
  kept_responses: KeptResponseTable;
  identities: IdentityTable;
  kept_keys: KeptKeyTable;
  key_renewals: KeyRenewalTable;
  ledger: LedgerTable;
  ledger_months: LedgerMonthTable;
  statement_mails: StatementMailTable;
  log_changes: LogChangeTable;
  log_hour_marks: LogHourMarkTable;
  log_hours: LogHourTable;
  log_tags: LogTagTable;
  logs: LogTable;
  mail_codes: MailCodeTable;
  notice_counts: NoticeCountTable;
  options: OptionTable;
  passkey_challenges: PasskeyChallengeTable;
  passkeys: PasskeyTable;
  quota_data: QuotaDataTable;
  recovery_codes: RecoveryCodeTable;
  receipts: ReceiptTable;
  receipt_keys: ReceiptKeyTable;
  auto_top_ups: AutoTopUpTable;
  plans: PlanTable;
  redemptions: RedemptionTable;
  subscriptions: SubscriptionTable;
  rerating_rows: ReratingRowTable;
  reratings: ReratingTable;
  scim_groups: ScimGroupTable;
  scim_members: ScimMemberTable;
  scim_users: ScimUserTable;
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
  invoice_numbers: InvoiceNumberTable;
  invoices: InvoiceTable;
  top_ups: TopUpTable;
  usage_reports: UsageReportTable;
  users: UserTable;
}
