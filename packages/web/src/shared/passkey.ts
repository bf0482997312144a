import type { NewCredential, ShownCredential } from '@tollgate/contract';
import { texts, type Translate } from '../lib/i18n.ts';
import { ApiError } from '../lib/api/api-error.ts';

const text = texts({
  cancelled: {
    zh: '操作已取消或超时，请重试',
    en: 'Cancelled or timed out, please try again',
  },
  known: { zh: '此设备上已有该账户的通行密钥', en: 'This device already has a passkey for the account' },
  otherAddress: {
    zh: '通行密钥只能在 {address} 使用，请从该地址访问',
    en: 'Passkeys only work at {address}: open the site there',
  },
  failed: { zh: '设备无法使用通行密钥：{why}', en: 'The device could not use a passkey: {why}' },
});

/** False for browsers without passkeys, and on unencrypted pages that are not from this machine. */
export const hasPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && window.isSecureContext;

/** The library comes with the first use. */
const library = () => import('@simplewebauthn/browser');

/** Options come from the server as the library takes them; the contract leaves their shape to WebAuthn. */
type Asked = { options: { publicKey: Record<string, unknown> } };

/** Creates a passkey on a device of the user. */
export async function createPasskey({ options }: Asked): Promise<NewCredential> {
  const { startRegistration } = await library();
  return (await startRegistration({ optionsJSON: options.publicKey as never })) as NewCredential;
}

/** Requests an answer from a device of the user. */
export async function getPasskey({ options }: Asked): Promise<ShownCredential> {
  const { startAuthentication } = await library();
  return (await startAuthentication({ optionsJSON: options.publicKey as never })) as ShownCredential;
}

/** The message of a failure; the site's address helps users who opened it by another one. */
export function passkeyErrorMessage(error: unknown, t: Translate, address: string): string {
  if (error instanceof ApiError) return error.message;
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return t(text.cancelled);
  if (name === 'InvalidStateError') return t(text.known);
  if (name === 'SecurityError') return t(text.otherAddress, { address });
  return t(text.failed, { why: error instanceof Error ? error.message : String(error) });
}
