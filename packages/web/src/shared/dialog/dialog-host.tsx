import { Suspense } from 'react';
import { lazy } from '../../lib/lazy.ts';
import { openDialogs } from './dialog.ts';

const DialogWindow = lazy(async () => ({ default: (await import('./dialog-window.tsx')).DialogWindow }));

/** Container of dialogs that code opens; their code is fetched with the first one. */
export function DialogHost() {
  const dialogs = openDialogs.use();
  if (dialogs.length === 0) return null;
  return (
    <Suspense fallback={null}>
      {dialogs.map((dialog) => (
        <DialogWindow key={dialog.id} {...dialog} />
      ))}
    </Suspense>
  );
}
