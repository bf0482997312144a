import { createHmac, randomUUID } from 'node:crypto';
import type { SettingValue } from '@tollgate/contract';
import { parseObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { Http } from '../../lib/outbound/http.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';

/** A rule of the setting GuardHooks. */
export type HookRule = SettingValue<'GuardHooks'>[number];

export interface HookDeps {
  http: Pick<Http, 'request'>;
  log: Log;
  /** Signs the questions; '' for none. */
  secret: () => string;
}

/** What a hook is asked (docs/how-to/guard-hooks.md). */
export interface HookQuestion {
  id: string;
  when: 'before' | 'after';
  user: { id: number; name: string };
  key: string;
  organisation: number;
  group: string;
  model: string;
  protocol: string;
  stream: boolean;
  /** True for an answer that was delivered already. */
  delivered: boolean;
  /** The end of what the hook has allowed of this answer before. */
  context: string;
  texts: string[];
}

/** Texts to use in place of those of the question, if there are any; or the error of the call. */
export type Verdict = { error: RelayError } | { texts?: string[] };

const maxQuestion = 8 * 1024 * 1024;
const maxAnswer = 8 * 1024 * 1024;
const maxReason = 200;

/** Asks the hook of a rule. Never rejects: the rule says what a failure means. */
export async function askHook(
  { http, log, secret }: HookDeps,
  rule: HookRule,
  question: HookQuestion,
): Promise<Verdict> {
  try {
    const body = Buffer.from(JSON.stringify(question));
    if (body.length > maxQuestion) throw new Error('the texts are too long');
    const key = secret();
    const signature = key && createHmac('sha256', key).update(body).digest('hex');
    const { status, body: answer } = await http.request(
      {
        method: 'POST',
        url: rule.url,
        headers: {
          'content-type': 'application/json',
          'x-webhook-id': randomUUID(),
          ...(signature && { 'x-webhook-signature': signature }),
        },
        body,
        scope: 'operator',
        headersTimeoutMs: rule.timeout_ms,
        bodyTimeoutMs: rule.timeout_ms,
      },
      maxAnswer,
      AbortSignal.timeout(rule.timeout_ms),
    );
    if (status !== 200) throw new Error(`the hook answered ${status}`);
    return readVerdict(rule, question, answer);
  } catch (err) {
    log.warn({ err, hook: rule.name, request: question.id }, 'a guard hook failed');
    return rule.on_failure === 'open' ? {} : { error: refuse('hook_failed', {}, { cause: err }) };
  }
}

/** Throws an error for an answer that does not follow the documented form. */
function readVerdict({ name }: HookRule, { texts: asked }: HookQuestion, answer: Buffer): Verdict {
  const { action, reason, texts } = parseObject(answer) ?? {};
  if (action === 'allow') return {};
  if (action === 'refuse') {
    const why = typeof reason === 'string' && reason !== '' ? reason.slice(0, maxReason) : name;
    return { error: refuse('hook_refused', { reason: why }) };
  }
  const isList = Array.isArray(texts) && texts.every((text) => typeof text === 'string');
  if (action !== 'replace' || !isList || texts.length !== asked.length)
    throw new Error('the hook did not answer in the documented form');
  return { texts: texts as string[] };
}
