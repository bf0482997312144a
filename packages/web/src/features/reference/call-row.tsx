import { ChevronDown } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { type Text, useTranslate } from '../../lib/i18n.ts';
import { Tag, type Tone } from '../../ui/tag.tsx';
import { CallDetails } from './call-details.tsx';
import classes from './page.module.css';
import type { ListedCall } from './read-reference.ts';
import { text } from './text.ts';

const methodTones: Record<string, Tone> = { GET: 'info', POST: 'good', PUT: 'warn', DELETE: 'bad' };

const accessLabels: Record<string, Text> = {
  public: text.anybody,
  'try-user': text.anybody,
  user: text.user,
  admin: text.admin,
  root: text.root,
  key: text.key,
};

interface CallRowProps {
  call: ListedCall;
  isOpen: boolean;
  onToggle: () => void;
}

/** A call in the list; expanded it shows all its facts. */
export function CallRow({ call, isOpen, onToggle }: CallRowProps) {
  const t = useTranslate();
  const row = useRef<HTMLLIElement>(null);
  // A link to a call opens the page at it.
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current) row.current?.scrollIntoView({ block: 'start' });
  }, []);
  const access = accessLabels[call.access];
  return (
    <li ref={row} className={classes.call}>
      <h3 className={classes.callHead}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={onToggle}>
          <span className={classes.method}>
            <Tag tone={methodTones[call.method] ?? 'neutral'}>{call.method}</Tag>
          </span>
          <code className={classes.path}>{call.path}</code>
          <span className={classes.summary}>{call.summary}</span>
          {access && <span className={classes.access}>{t(access)}</span>}
          <ChevronDown size={15} className={classes.chevron} aria-hidden />
        </button>
      </h3>
      {isOpen && <CallDetails call={call.read()} />}
    </li>
  );
}
