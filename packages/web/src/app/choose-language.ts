import { selfApi } from '@tollgate/contract';
import { call } from '../lib/api/api-client.ts';
import { setLanguage, type Language } from '../lib/i18n.ts';
import { currentUser } from '../lib/session.ts';

/**
 * Changes the language of the console. The server also stores it for users who are logged in, because mails and webhooks
 * use it. The console does not wait for that.
 */
export function chooseLanguage(language: Language): void {
  setLanguage(language);
  if (currentUser()) call(selfApi.language, { language }).catch(() => undefined);
}
