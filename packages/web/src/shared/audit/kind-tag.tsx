import { auditKinds, isAuditKind } from '@tollgate/contract';
import { useTranslate, type Translate, type Text } from '../../lib/i18n.ts';
import { Tag, type Tone } from '../../ui/tag.tsx';
import { auditText } from './text.ts';

/** What a kind of row is called. */
export const kindLabel = (kind: string, t: Translate): string =>
  isAuditKind(kind) ? t(auditKinds[kind]) : kind;

const outcomes: Readonly<Record<string, Text>> = {
  wrong_password: auditText.wrongPassword,
  user_not_found: auditText.unknownUser,
  user_banned: auditText.banned,
  oauth_not_bound: auditText.notBound,
};

/** Why something was not done; the name of the error where there are no shorter words. */
export const outcomeLabel = (outcome: string, t: Translate): string => {
  const known = outcomes[outcome];
  return known ? t(known) : outcome;
};

const severe = /\.(delete|erase|disable|quota|reveal|expire)$/;

const toneOf = (kind: string, outcome: string): Tone =>
  outcome !== '' ? 'bad' : severe.test(kind) ? 'orange' : 'neutral';

interface KindTagProps {
  kind: string;
  /** '' for done. */
  outcome: string;
}

/** What was done, in a word; red with the reason where it was not. */
export function KindTag({ kind, outcome }: KindTagProps) {
  const t = useTranslate();
  const words = kindLabel(kind, t);
  return (
    <Tag tone={toneOf(kind, outcome)} title={kind}>
      {outcome === '' ? words : `${words}: ${outcomeLabel(outcome, t)}`}
    </Tag>
  );
}
