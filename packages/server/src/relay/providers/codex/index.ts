import { counter } from '@tollgate/contract';
import { readOpenaiError } from '../../families/openai/index.ts';
import { objectOf, parseObject } from '../../../lib/json.ts';
import { defineProvider } from '../../provider-kit/index.ts';
import { type ErrorAnswer, originOf, type RelayError } from '../../types/index.ts';
import { adaptCodex } from './body.ts';
import { secretsIn } from './login.ts';
import { signIn } from './sign-in.ts';
import { CompletedItems } from './completed-items.ts';

/** The error of a used-up plan has the time of its reset. */
function readError(answer: ErrorAnswer): RelayError {
  const resets = counter(objectOf(parseObject(answer.body)?.error).resets_in_seconds);
  const retryAfterSeconds = answer.retryAfterSeconds ?? (resets > 0 ? resets : undefined);
  return readOpenaiError({ ...answer, retryAfterSeconds });
}

/** Codex with a ChatGPT account: OpenAI's Responses, with a login that is renewed before it ends. */
export const codex = defineProvider({
  type: 57,
  id: 'codex',
  name: { zh: 'Codex（ChatGPT 账号）', en: 'Codex (ChatGPT account)' },
  baseUrl: 'https://chatgpt.com',
  hints: {
    key: {
      zh: '登录的 JSON：access_token、refresh_token、account_id，或 Codex 的 auth.json 文件',
      en: 'the JSON of a login: access_token, refresh_token, account_id, or the file auth.json of Codex',
    },
  },
  models: [
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-5.5',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-5.3-codex',
    'gpt-5.2',
  ],
  headers: () => ({}),
  keyOrigins: ({ baseUrl }) => [originOf(baseUrl), 'https://auth.openai.com'],
  secrets: ({ key }) => secretsIn(key),
  endpoints: {
    'openai-responses': {
      protocol: 'openai-responses',
      isDialect: true,
      url: ({ baseUrl }) => `${baseUrl}/backend-api/codex/responses`,
      headers: () => ({
        accept: 'text/event-stream',
        'openai-beta': 'responses=experimental',
        originator: 'codex_cli_rs',
      }),
      adapt: adaptCodex,
      unframe: (contentType) =>
        contentType.startsWith('text/event-stream') ? new CompletedItems() : undefined,
      readError,
    },
  },
  beforeSend: signIn,
  refusesToken: ({ status }) => status === 401,
});
