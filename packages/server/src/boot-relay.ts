import { IncomingMessage } from 'node:http';
import { logType } from '@tollgate/contract';
import { type Core, nodeName } from './boot-core.ts';
import { gatewayDeps, identityHeaders } from './boot-gateway.ts';
import { openRealtime } from './boot-realtime.ts';
import {
  type Caller,
  countTokens,
  type Exchange,
  type GatewayDeps,
  IdempotentCalls,
  identifyByKey,
  refuseCall,
  serve,
  usingGroup,
} from './gateway/index.ts';
import type { ClientReader } from './http/client.ts';
import {
  type AnswerDeps,
  answerVisit,
  createRelayListener,
  type RelayListener,
  type Funds,
  relayRoutes,
  type UpgradeListener,
  type Visit,
} from './http/relay/index.ts';
import type { Inbound, ProtocolId } from './relay/model/protocol.ts';
import type { RelayError } from './relay/model/relay-error.ts';
import { callerProtocol } from './relay/protocols.ts';
import { providers } from './relay/registry.ts';
import { createKeyedCalls } from './services/idempotency/index.ts';
import { accounts, tokens, users } from './store/index.ts';

/** What the relay needs of those who know people. */
export interface RelayOutside {
  /** Finds the logged-in user of a playground call; throws the refusal. */
  identifySession(req: IncomingMessage): Promise<Caller>;
  /** Told after each settlement. Never waits. */
  onSettled(settled: { userId: number; charged: number; balance: number }): void;
}

export interface Relay {
  gateway: GatewayDeps;
  doors: RelayListener;
  /** The relay's sockets, beside its requests. */
  upgrades: UpgradeListener;
  /** Forgets named calls (Idempotency-Key) that are older than a day or beyond the bounds. */
  forgetOldCalls(): Promise<void>;
  /** From now on new calls are refused. */
  stop(): void;
}

const inboundOf = (id: ProtocolId): Inbound => {
  const inbound = callerProtocol(id)?.inbound;
  if (!inbound) throw new Error(`callers cannot speak the protocol ${id}`);
  return inbound;
};

/** Model name → `owned_by`: the first provider that lists it. */
function ownersOfModels(): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const provider of providers) {
    for (const model of provider.models) if (!owners.has(model)) owners.set(model, provider.ownedBy);
  }
  return owners;
}

/** The models a caller may use: the token's list where it has one, else those of the group (wire-facts 1.3). */
function modelsFor(core: Core): AnswerDeps['modelsFor'] {
  return (caller) => {
    if (caller.modelLimits) return [...caller.modelLimits];
    return core.routing.modelsOf(usingGroup(core, caller, ''));
  };
}

function fundsOf(core: Core): AnswerDeps['fundsOf'] {
  return async (caller): Promise<Funds> => {
    const token = caller.tokenId > 0 ? await tokens.find(core.store.db, caller.tokenId) : undefined;
    if (token && core.settings.get('DisplayTokenStatEnabled')) {
      return {
        remaining: token.remain_quota,
        used: token.used_quota,
        expiresAt: token.expired_time,
        unlimited: token.unlimited_quota === 1,
      };
    }
    const [account, user] = await Promise.all([
      accounts.find(core.store.db, caller.accountId),
      users.find(core.store.db, caller.userId),
    ]);
    return { remaining: account?.balance ?? 0, used: user?.used_quota ?? 0, expiresAt: -1, unlimited: false };
  };
}

function answerDeps(core: Core, countExchange: AnswerDeps['countExchange']): AnswerDeps {
  return {
    countExchange,
    maxBodyBytes: core.env.maxRequestBodyMb * 1024 * 1024,
    modelsFor: modelsFor(core),
    ownedBy: ownersOfModels(),
    fundsOf: fundsOf(core),
    display: (quota) =>
      core.settings.get('DisplayInCurrencyEnabled') ? quota / core.settings.get('QuotaPerUnit') : quota,
    identityHeaders,
  };
}

/** Writes a row of type 5 for a failed call; a log that cannot be written fails nothing. */
function logFailure(core: Core) {
  return (
    exchange: Exchange,
    error: RelayError,
    channel: { id: number; name: string; type: number } | undefined,
  ) => {
    const other = {
      error_type: error.type,
      error_code: error.code,
      status_code: error.status,
      channel_id: channel?.id ?? 0,
      channel_name: channel?.name ?? '',
      channel_type: channel?.type ?? 0,
      request_path: exchange.path,
    };
    core.logs
      .write({
        type: logType.error,
        user_id: exchange.caller.userId,
        username: exchange.caller.username,
        content: error.message,
        token_name: exchange.caller.tokenName,
        token_id: exchange.caller.tokenId,
        model_name: exchange.facts.model,
        group: exchange.askedGroup || exchange.caller.tokenGroup || exchange.caller.userGroup,
        use_time: Math.max(0, Math.floor((core.clock() - exchange.startedAt) / 1000)),
        is_stream: exchange.facts.stream ? 1 : 0,
        channel_id: channel?.id ?? 0,
        other: JSON.stringify(other),
        request_id: exchange.requestId,
      })
      .catch((cause: unknown) => core.log.error({ err: cause }, 'an error row could not be written'));
  };
}

/** True for addresses that belong to the relay even where no route matches. */
const owns = (path: string): boolean => /^\/(v1|v1beta|pg|dashboard\/billing)(\/|$)/.test(path);

/** Whose language a path speaks that no route knows. */
const isGeminiPath = (path: string): boolean =>
  /^\/v1beta\/(?!openai(\/|$))/.test(path) || /^\/v1\/models\/[^/]+:\w+$/.test(path);

/** The languages that routes are declared with. */
const callerLanguages = () => ({
  chat: inboundOf('openai-chat'),
  messages: inboundOf('anthropic-messages'),
  responses: inboundOf('openai-responses'),
  gemini: inboundOf('gemini'),
  geminiEmbeddings: inboundOf('gemini-embeddings'),
  completions: inboundOf('openai-completions'),
  embeddings: inboundOf('openai-embeddings'),
  moderations: inboundOf('openai-moderations'),
  rerank: inboundOf('cohere-rerank'),
  images: inboundOf('openai-images'),
  audio: inboundOf('openai-audio'),
});

/** Wires the relay's side of the server. */
export function openRelay(core: Core, clients: ClientReader, outside: RelayOutside): Relay {
  const gateway = gatewayDeps({
    ...core,
    logFailure: logFailure(core),
    onSettled: ({ caller, requestId }, { charged, balance }) => {
      keyed.settled(requestId, charged);
      outside.onSettled({ userId: caller.userId, charged, balance });
    },
  });
  const calls = createKeyedCalls({ ...core, db: core.store.db, node: nodeName(core.env) });
  const keyed = new IdempotentCalls({
    calls,
    log: core.log,
    refuse: (target, error) => void refuseCall(gateway, target, error),
  });
  const answers = answerDeps(core, (exchange) => countTokens(gateway, exchange));
  const languages = callerLanguages();
  let isStopping = false;
  const shared: Parameters<typeof openRealtime>[3] = {
    routes: relayRoutes(languages),
    clock: core.clock,
    clientIp: (req) => clients.ip(req),
    identify: ({ route, req, path, query, ip }) => {
      if (route.access === 'key') return identifyByKey(core.keys, req, path, query, ip);
      if (req instanceof IncomingMessage) return outside.identifySession(req);
      throw new Error('sessions are read from requests of Node alone');
    },
    refuse: (target, error) => void refuseCall(gateway, target, error),
    isStopping: () => isStopping,
  };
  const realtime = openRealtime(core, gateway, clients, shared);
  const doors = createRelayListener({
    ...shared,
    maxBodyBytes: core.env.maxRequestBodyMb * 1024 * 1024,
    owns,
    serve: (exchange) => keyed.serve(exchange, (each) => serve(gateway, each)),
    answer: (visit: Visit) => answerVisit(answers, visit),
    fallback: (path) => {
      if (path.startsWith('/v1/messages')) return languages.messages;
      return isGeminiPath(path) ? languages.gemini : languages.chat;
    },
  });
  return {
    gateway,
    doors,
    upgrades: realtime.upgrades,
    forgetOldCalls: () => calls.sweep(),
    stop() {
      isStopping = true;
      realtime.stop();
    },
  };
}
