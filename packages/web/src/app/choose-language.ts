import { selfApi } from '@tollgate/contract';
import { call } from '../lib/api/api-client.ts';
import { setLanguage, type Language } from '../lib/i18n.ts';
import { currentUser } from '../lib/session.ts';

/**
 * Changes the language of the console. For people who are logged in the server keeps it too, because mails and webhooks
 * follow it; the console does not wait for that.
 */
export function chooseLanguage(language: Language): void {
  setLanguage(language);
  if (currentUser()) call(selfApi.language, { language }).catch(() => undefined);
}
