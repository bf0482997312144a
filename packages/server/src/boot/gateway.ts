import type { Cache } from '../cache/index.ts';
import type { Env } from './env.ts';
import {
  type BeforeSend,
  createFileFetch,
  disableOnFailure,
  failureRow,
  type GatewayDeps,
  identityHeaders,
  pingEveryMs,
  canLimitUses,
  goesOnTranslated,
  MissingProtocols,
  prepareCall,
  type PrepareDeps,
  relayOptions,
  Running,
  showQuota,
  siteLanguage,
  billingStatus,
  upstreamTimeouts,
  withoutPlaygroundWords,
  wordIn,
  MarkRounds,
} from '../gateway/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Http } from '../lib/outbound/http.ts';
import type { Log } from '../lib/log.ts';
import type { TokenCounter } from '../lib/token-count/token-counter.ts';
import { providerOf } from '../relay/registry.ts';
import { countRequest, countText } from '../relay/token-count.ts';
import { countAtMost } from '../lib/token-count/count-at-most.ts';
import type { RelayError } from '../relay/types/index.ts';
import type { Channels } from '../services/calls/channels/index.ts';
import type { Costs } from '../services/money/costs/index.ts';
import type { Ledger } from '../services/money/ledger/index.ts';
import type { FailureLog } from '../services/upkeep/logs/index.ts';
import type { Pricing } from '../services/money/pricing/index.ts';
import type { Routing, StoredResponses, ReferencedTexts } from '../services/calls/routing/index.ts';
import { createModelLimiter, modelLimitsOf } from '../services/site/rate-limit/index.ts';
import { currentWordFilter } from '../services/site/sensitive-words/index.ts';
import type { Settings } from '../services/site/settings/index.ts';

export interface GatewayParts {
  env: Env;
  settings: Settings;
  pricing: Pricing;
  costs: Costs;
  ledger: Ledger;
  routing: Routing;
  storedResponses: StoredResponses;
  referencedTexts: ReferencedTexts;
  channels: Channels;
  http: Http;
  counter: TokenCounter;
  beforeSend: BeforeSend;
  /** The cache that the site's processes share. */
  cache: Cache;
  clock: Clock;
  log: Log;
  /** Called after each settlement. Must not wait. */
  onSettled: GatewayDeps['onSettled'];
  /** Called for each refusal of a known caller. Must not wait. */
  onRefused(error: RelayError): void;
  failures: Pick<FailureLog, 'note'>;
}

function prepareDeps({ env, settings, http, beforeSend, log }: GatewayParts): PrepareDeps {
  const missing = new MissingProtocols();
  return {
    provider: providerOf,
    options: relayOptions(env, settings, (channel, protocol) => missing.has(channel, protocol)),
    fetchFile: createFileFetch({ http, settings, maxBytes: env.maxFileDownloadMb * 1024 * 1024 }),
    beforeSend,
    strip: withoutPlaygroundWords,
    missing,
    log,
  };
}

/** Wires the gateway: everything that one request needs, from the services of this process. */
export function gatewayDeps(parts: GatewayParts): GatewayDeps {
  const { env, settings, pricing, ledger, routing, http, counter, clock, log } = parts;
  const words = currentWordFilter(settings);
  const prepare = prepareDeps(parts);
  return {
    pricing,
    ledger,
    routing,
    storedResponses: parts.storedResponses,
    referencedTexts: parts.referencedTexts,
    http,
    clock,
    log,
    running: new Running(),
    rate: {
      limiter: createModelLimiter({ cache: parts.cache, clock, log }),
      limitsOf: (group) => modelLimitsOf(settings, group),
    },
    forbiddenWord(relayCall) {
      const filter = words();
      return filter ? wordIn(filter.find, relayCall.json) : undefined;
    },
    boundPrompt: ({ inbound, json, facts }) =>
      countRequest(countAtMost(counter), inbound.id, json, facts.model),
    countPrompt: ({ inbound, json, facts }) => countRequest(counter, inbound.id, json, facts.model),
    countTokens: (text, model) => countText(counter, text, model),
    markRounds: new MarkRounds(),
    showQuota: (amount) => showQuota(settings, amount),
    preConsumedTokens: () => settings.get('PreConsumedQuota'),
    retryTimes: () => settings.get('RetryTimes'),
    onFailure: disableOnFailure(parts),
    prepare: (relayCall, channel, cancellation) => prepareCall(prepare, relayCall, channel, cancellation),
    dropRejectedToken(channel, call, error) {
      const provider = providerOf(channel.type);
      return provider !== undefined && parts.beforeSend.dropRejectedToken(provider, call, error);
    },
    canLimitUses: (relayCall, channel) => canLimitUses(prepare, relayCall, channel),
    goesOnTranslated: (...failed) => goesOnTranslated(prepare, ...failed),
    timeouts: upstreamTimeouts(env.streamingTimeoutSeconds, env.relayTimeoutSeconds),
    identityHeaders,
    siteLanguage: () => siteLanguage(settings),
    billingStatus: () => billingStatus(settings),
    pingEveryMs: () => pingEveryMs(settings),
    logsConsumption: () => settings.get('LogConsumeEnabled'),
    sumsHourly: () => settings.get('DataExportEnabled'),
    costOf: (call) => parts.costs.of(call),
    onSettled: (relayCall, settled, facts) => parts.onSettled(relayCall, settled, facts),
    onRefused: (relayCall, error, failed) => {
      parts.onRefused(error);
      relayCall.trace?.refused(error);
      if (env.errorLog) parts.failures.note(failureRow(relayCall, error, failed, clock()));
    },
  };
}
