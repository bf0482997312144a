import { useState } from 'react';
import { lazy } from '../../../lib/lazy.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import type { Work } from '../base/work.ts';

const WorkView = lazy(async () => ({ default: (await import('./work-view.tsx')).WorkView }));

interface OpenedProps {
  works: readonly Work[] | undefined;
  /** Id of the open task in the address; '' for none. */
  id: string;
  onClose: () => void;
}

/** The open task of a list with live progress. A task that leaves the list stays open unchanged. */
export function Opened({ works, id, onClose }: OpenedProps) {
  const found = works?.find(({ taskId }) => taskId === id);
  const [kept, setKept] = useState(found);
  if (found && found !== kept) setKept(found);
  const work = id === '' ? undefined : (found ?? (kept?.taskId === id ? kept : undefined));
  return (
    <LazyMount when={work !== undefined}>
      <WorkView work={work} onClose={onClose} />
    </LazyMount>
  );
}
