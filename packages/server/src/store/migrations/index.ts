import { start } from './0001-start/index.ts';
import { idempotentCalls } from './0002-idempotent-calls.ts';
import { noticeCounts } from './0003-notice-counts.ts';
import { channelInputBound } from './0004-channel-input-bound.ts';
import { channelTestOutcome } from './0005-channel-test-outcome.ts';
import { userRemark } from './0006-user-remark.ts';
import { mailCodes } from './0007-mail-codes.ts';
import { identities } from './0008-identities.ts';
import { signInProviders } from './0009-sign-in-providers.ts';
import { audit } from './0010-audit.ts';
import { secondFactor } from './0011-second-factor.ts';
import { teams } from './0012-teams.ts';
import { tasks } from './0013-tasks.ts';
import { callCosts } from './0014-call-costs.ts';
import { reratings } from './0015-reratings.ts';
import { keptKeys } from './0016-kept-keys.ts';
import { keyRenewals } from './0017-key-renewals.ts';
import { usageReports } from './0018-usage-reports.ts';
import { usedByOwnWallet } from './0019-used-by-own-wallet.ts';
import { logHours } from './0020-log-hours.ts';
import { logRefunds } from './0021-log-refunds.ts';
import { logHoursByUserAndModel } from './0022-log-hours-by-user-and-model.ts';
import { logChanges } from './0023-log-changes.ts';
import { marginRefunds } from './0024-margin-refunds.ts';
import { sealedCodes } from './0025-sealed-codes.ts';
import { accessTokens } from './0026-access-tokens.ts';
import { expiryAndRemarks } from './0027-expiry-and-remarks.ts';
import { storedResponses } from './0028-stored-responses.ts';
import { formerRequests } from './0029-former-requests.ts';
import { channelKeys } from './0030-channel-keys.ts';
import { logMonths } from './0031-log-months.ts';
import { channelHeaders } from './0032-channel-headers.ts';
import { channelMinutes } from './0034-channel-minutes.ts';
import { budgets } from './0037-budgets.ts';
import { alarms } from './0040-alarms.ts';
import { logTags } from './0046-log-tags.ts';
import { channelLimits } from './0047-channel-limits.ts';
import { headerSecrets } from './0049-header-secrets.ts';
import { runs } from './0050-runs.ts';
import { crossGroupRetry } from './0051-cross-group-retry.ts';
import { alarmPlaces } from './0052-alarm-places.ts';
import { channelRules } from './0053-channel-rules.ts';
import { grants } from './0054-grants.ts';
import { creditEnds } from './0055-credit-ends.ts';
import { budgetWarnings } from './0056-budget-warnings.ts';
import { budgetDefaults } from './0057-budget-defaults.ts';
import { ledgerMonths } from './0058-ledger-months.ts';
import { keysOfRuns } from './0059-keys-of-runs.ts';
import { slidingBudgets } from './0060-sliding-budgets.ts';
import { claimedStatements } from './0062-claimed-statements.ts';
import { vendorObjects } from './0063-vendor-objects.ts';
import { keptResponses } from './0066-kept-responses.ts';
import { tokenBudgets } from './0067-token-budgets.ts';
import { invitationLimits } from './0069-invitation-limits.ts';
import { batchItems } from './0070-batch-items.ts';
import { scimUsers } from './0071-scim-users.ts';
import { scimGroups } from './0072-scim-groups.ts';
import { samlProviders } from './0073-saml-providers.ts';
import { plans } from './0074-plans.ts';
import { autoTopUps } from './0075-auto-top-ups.ts';
import { invoices } from './0076-invoices.ts';
import { planBudgets } from './0077-plan-budgets.ts';
import { storedResponsesAsObjects } from './0079-stored-responses-as-objects.ts';
import { endedIdentities } from './0081-ended-identities.ts';
import { stripeOrders } from './0082-stripe-orders.ts';
import { ownBatches } from './0085-own-batches.ts';
import { receipts } from './0088-receipts.ts';
import type { Migration } from './writer.ts';

/** Every migration in order. Add at the end; never change or remove one that was released. */
export const migrations: readonly Migration[] = [
  start,
  idempotentCalls,
  noticeCounts,
  channelInputBound,
  channelTestOutcome,
  userRemark,
  mailCodes,
  identities,
  signInProviders,
  audit,
  secondFactor,
  teams,
  tasks,
  callCosts,
  reratings,
  keptKeys,
  keyRenewals,
  usageReports,
  usedByOwnWallet,
  logHours,
  logRefunds,
  logHoursByUserAndModel,
  logChanges,
  marginRefunds,
  sealedCodes,
  accessTokens,
  expiryAndRemarks,
  storedResponses,
  formerRequests,
  channelKeys,
  logMonths,
  channelHeaders,
  channelMinutes,
  budgets,
  alarms,
  logTags,
  channelLimits,
  headerSecrets,
  runs,
  crossGroupRetry,
  alarmPlaces,
  channelRules,
  grants,
  creditEnds,
  budgetWarnings,
  budgetDefaults,
  ledgerMonths,
  keysOfRuns,
  slidingBudgets,
  claimedStatements,
  vendorObjects,
  keptResponses,
  tokenBudgets,
  invitationLimits,
  batchItems,
  scimUsers,
  scimGroups,
  samlProviders,
  plans,
  autoTopUps,
  invoices,
  planBudgets,
  storedResponsesAsObjects,
  endedIdentities,
  stripeOrders,
  ownBatches,
  receipts,
];
