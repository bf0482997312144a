import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { CallRow } from './call-row.tsx';
import classes from './page.module.css';
import type { Part } from './read-reference.ts';
import { text } from './text.ts';

interface PartSectionProps {
  part: Part;
  startsOpen: boolean;
  /** The id of the expanded call; '' for none. */
  openCall: string;
  /** Called with the id of the call to expand; '' for none. */
  onCall: (id: string) => void;
}

/** A part of the reference. Its calls are rendered while it is open: all parts together have hundreds. */
export function PartSection({ part: { title, calls }, startsOpen, openCall, onCall }: PartSectionProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <details className={classes.part} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes.partHead}>
        <ChevronRight size={15} className={classes.partChevron} aria-hidden />
        <h2 className={classes.partTitle}>{title}</h2>
        <span className={classes.count}>{t(text.count, { count: calls.length })}</span>
      </summary>
      {isOpen && (
        <ul className={classes.calls}>
          {calls.map((call) => (
            <CallRow
              key={call.id}
              call={call}
              isOpen={call.id === openCall}
              onToggle={() => onCall(call.id === openCall ? '' : call.id)}
            />
          ))}
        </ul>
      )}
    </details>
  );
}
