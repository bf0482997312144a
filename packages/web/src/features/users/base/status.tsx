import { userStatus, type ManagedUserData } from '@tollgate/contract';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import { Dot, type DotTone } from '../../../ui/dot.tsx';
import { text } from './text.ts';

const statuses: Record<number, { tone: DotTone; word: Text }> = {
  [userStatus.enabled]: { tone: 'good', word: text.active },
  [userStatus.disabled]: { tone: 'bad', word: text.banned },
};

/** Status of a user. */
export function Status({ user }: { user: Pick<ManagedUserData, 'status' | 'DeletedAt'> }) {
  const t = useTranslate();
  if (user.DeletedAt !== null) return <Dot tone="idle">{t(text.deleted)}</Dot>;
  const { tone, word } = statuses[user.status] ?? { tone: 'warn', word: text.unknown };
  return <Dot tone={tone}>{t(word)}</Dot>;
}
