import { z } from 'zod';
import type { ForeignIdentity } from '../accounts/index.ts';
import type { ProviderDeps } from './types.ts';

const timeoutMs = 5_000;
const maxAnswerBytes = 64 * 1024;
const answered = z.object({ success: z.literal(true), data: z.string().min(1).max(255) });

/**
 * Exchanges a code that the official account sent to a user for the user's identity, at the operator's own WeChat
 * server (docs/compatibility.md#third-party-sign-in). Throws if it cannot be reached; null for a wrong code.
 */
export async function identifyWechat(
  { settings, http }: Pick<ProviderDeps, 'settings' | 'http'>,
  code: string,
): Promise<ForeignIdentity | null> {
  const address = settings.get('WeChatServerAddress');
  const answer = await http.request(
    {
      method: 'GET',
      url: `${address}/api/wechat/user?${new URLSearchParams({ code }).toString()}`,
      headers: { authorization: settings.get('WeChatServerToken') },
      scope: 'operator',
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    },
    maxAnswerBytes,
  );
  if (answer.status !== 200) throw new Error(`the WeChat server answered ${answer.status}`);
  const parsed = answered.safeParse(JSON.parse(answer.body.toString('utf8')));
  if (!parsed.success) return null;
  return {
    provider: 'wechat',
    subject: parsed.data.data,
    providerName: 'WeChat',
    username: '',
    displayName: 'WeChat User',
    email: '',
  };
}
