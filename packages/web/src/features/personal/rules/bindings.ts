import type { UserData } from '@tollgate/contract';
import type { Status } from '../../../lib/api/status.ts';
import type { Text } from '../../../lib/i18n.ts';
import { text } from '../base/text.ts';

/** A sign-in method in the list of bindings. */
export interface Binding {
  id: string;
  name: Text | string;
  /** Name of the account there; '' if it is not bound. */
  subject: (self: UserData) => string;
  /** Whether this site offers it. */
  isOffered: (status: Status) => boolean;
  /** Address of its icon, for a provider that root added. */
  logo?: string;
}

/** A site without a name field shows only the subject's id. */
const subjectIn = (id: string) => (self: UserData) => (self.bindings.includes(id) ? id : '');

const builtIn: readonly Binding[] = [
  { id: 'email', name: text.email, subject: (self) => self.email, isOffered: () => true },
  { id: 'github', name: 'GitHub', subject: (self) => self.github_id, isOffered: (site) => site.github_oauth },
  { id: 'oidc', name: 'OIDC', subject: (self) => self.oidc_id, isOffered: (site) => site.oidc_enabled },
  {
    id: 'linuxdo',
    name: 'Linux DO',
    subject: (self) => self.linux_do_id,
    isOffered: (site) => site.linuxdo_oauth,
  },
  { id: 'discord', name: 'Discord', subject: subjectIn('discord'), isOffered: (site) => site.discord_oauth },
  {
    id: 'wechat',
    name: text.wechat,
    subject: (self) => self.wechat_id,
    isOffered: (site) => site.wechat_login,
  },
  {
    id: 'telegram',
    name: 'Telegram',
    subject: (self) => self.telegram_id,
    isOffered: (site) => site.telegram_oauth,
  },
];

/** The providers that root added: offered ones, and bound ones that are no longer offered, which have only ids. */
function addedBindings(self: UserData, status: Status | undefined): Binding[] {
  const offered = status?.custom_oauth_providers ?? [];
  const known = new Set([...builtIn.map(({ id }) => id), ...offered.map(({ slug }) => slug)]);
  const gone = self.bindings.filter((id) => !known.has(id));
  return [
    ...offered.map(({ slug: id, name, logo }) => ({
      id,
      name,
      logo,
      subject: subjectIn(id),
      isOffered: () => true,
    })),
    ...gone.map((id) => ({ id, name: id, subject: subjectIn(id), isOffered: () => false })),
  ];
}

/** The bindings of the account; providers that the site no longer offers are listed only if they are bound. */
export const bindingsOf = (self: UserData, status: Status | undefined): Binding[] =>
  [...builtIn, ...addedBindings(self, status)].filter(
    ({ subject, isOffered }) => subject(self) !== '' || (status !== undefined && isOffered(status)),
  );
