import { refuse } from '../../relay/model/relay-error.ts';
import type { Caller, Exchange } from '../../gateway/index.ts';
import { anthropicModel, listAnthropicModels } from './anthropic-models.ts';
import { geminiModel, listGeminiModels } from './gemini-models.ts';
import { readExchange, type Visit } from './read-exchange.ts';
import { modelObject } from './models.ts';

/**
 * What the billing calls report of a token or its owner; amounts in quota units, time in unix seconds (−1 for never).
 */
export interface Funds {
  remaining: number;
  used: number;
  expiresAt: number;
  unlimited: boolean;
}

export interface AnswerDeps {
  /** The models a caller may use, in the group that applies to it. */
  modelsFor(caller: Caller): readonly string[];
  ownedBy: ReadonlyMap<string, string>;
  /** The funds the billing calls show: the token's with DisplayTokenStatEnabled, else its owner's. */
  fundsOf(caller: Caller): Promise<Funds>;
  /** Turns quota units into what the site shows: dollars with DisplayInCurrencyEnabled, else the units themselves. */
  display(quota: number): number;
  identityHeaders(requestId: string): Record<string, string>;
  maxBodyBytes: number;
  /** The tokens of a request whose body is that of a call, counted by its vendor where that is possible. */
  countExchange(exchange: Exchange): Promise<number>;
}

/** What an unlimited token reports as its limit (wire-facts 1.3). */
const unlimited = 100_000_000;

/** Answers the relay paths that Tollgate knows by itself. */
export async function answerVisit(deps: AnswerDeps, visit: Visit): Promise<void> {
  const body = await bodyOf(deps, visit);
  visit.client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(visit.requestId) });
  visit.client.finish(Buffer.from(JSON.stringify(body)), {});
}

async function bodyOf(deps: AnswerDeps, visit: Visit): Promise<object> {
  const { matched, caller, inbound } = visit;
  const isGemini = inbound.id === 'gemini';
  switch (matched.route.kind) {
    case 'models': {
      const names = deps.modelsFor(caller);
      if (isGemini) return listGeminiModels(names);
      if (inbound.id === 'anthropic-messages') return listAnthropicModels(names);
      return { success: true, object: 'list', data: names.map((id) => modelObject(id, deps.ownedBy)) };
    }
    case 'model': {
      const name = matched.slots['model'] ?? '';
      if (isGemini) return geminiModel(deps.modelsFor(caller), name);
      if (inbound.id === 'anthropic-messages') return anthropicModel(deps.modelsFor(caller), name);
      return oneModel(deps, caller, name);
    }
    case 'count-tokens': {
      const tokens = await deps.countExchange(await readExchange(deps, visit));
      return isGemini ? { totalTokens: tokens } : { input_tokens: tokens };
    }
    case 'billing-subscription':
      return subscription(deps, await deps.fundsOf(caller));
    case 'billing-usage': {
      const { used } = await deps.fundsOf(caller);
      return { object: 'list', total_usage: deps.display(used) * 100 };
    }
    case 'not-implemented':
      throw refuse(501, 'api_not_implemented', 'API not implemented');
    case 'realtime':
      throw refuse(426, 'upgrade_required', 'this path is a websocket: ask for an upgrade');
    case 'relay':
      throw new Error('relay calls are served by the gateway');
  }
}

/** An unknown model answers HTTP 200 with an error object, as clients of the original expect (wire-facts 13). */
function oneModel(deps: AnswerDeps, caller: Caller, id: string): object {
  if (deps.modelsFor(caller).includes(id)) return modelObject(id, deps.ownedBy);
  const message = `The model '${id}' does not exist`;
  return { error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' } };
}

function subscription(deps: AnswerDeps, funds: Funds): object {
  const limit = funds.unlimited ? unlimited : deps.display(funds.remaining + funds.used);
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: funds.expiresAt > 0 ? funds.expiresAt : 0,
  };
}
