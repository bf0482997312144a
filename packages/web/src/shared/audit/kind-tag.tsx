import { auditKinds, isAuditKind } from '@tollgate/contract';
import { useTranslate, type Translate, type Text } from '../../lib/i18n.ts';
import { Tag, type Tone } from '../../ui/tag.tsx';
import { auditText } from './text.ts';

/** Label of a kind of row. */
export const kindLabel = (kind: string, t: Translate): string =>
  isAuditKind(kind) ? t(auditKinds[kind]) : kind;

const outcomes: Readonly<Record<string, Text>> = {
  wrong_password: auditText.wrongPassword,
  user_not_found: auditText.unknownUser,
  user_banned: auditText.banned,
  oauth_not_bound: auditText.notBound,
  sign_in_no_rule: auditText.noRule,
};

/** Reason of a refusal; the error's name if there is no shorter text. */
export const outcomeLabel = (outcome: string, t: Translate): string => {
  const known = outcomes[outcome];
  return known ? t(known) : outcome;
};

const severe = /\.(delete|erase|disable|quota|reveal|expire)$/;

const toneOf = (kind: string, outcome: string): Tone =>
  outcome !== '' ? 'bad' : severe.test(kind) ? 'orange' : 'neutral';

interface KindTagProps {
  kind: string;
  /** '' for success. */
  outcome: string;
}

/** The action as a tag; red with the reason if it was refused. */
export function KindTag({ kind, outcome }: KindTagProps) {
  const t = useTranslate();
  const words = kindLabel(kind, t);
  return (
    <Tag tone={toneOf(kind, outcome)} title={kind}>
      {outcome === '' ? words : `${words}: ${outcomeLabel(outcome, t)}`}
    </Tag>
  );
}
