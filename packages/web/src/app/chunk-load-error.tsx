import { Button } from '@mantine/core';
import { CloudOff, RefreshCw } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { isReachable } from '../lib/api/api-client.ts';
import { useTranslate } from '../lib/i18n.ts';
import { fetchMissingCode } from '../lib/lazy.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { text } from './text.ts';

/** Milliseconds between two attempts to get what is missing. */
const againMs = 3000;

/** How long after a reload another one would only repeat it, in ms. */
const reloadedMs = 60_000;
const reloadedKey = 'tollgate:reloaded';

/**
 * Reloads the window, once: a build that was replaced has other file names, and browsers may remember that a module
 * did not arrive. Pages with unsaved input ask before they let go of it. Answers false when it just happened.
 */
function reloadOnce(): boolean {
  try {
    const last = Number(window.sessionStorage.getItem(reloadedKey));
    if (Date.now() - last < reloadedMs) return false;
    window.sessionStorage.setItem(reloadedKey, String(Date.now()));
  } catch {
    // Without a memory it could reload for ever.
    return false;
  }
  window.location.reload();
  return true;
}

interface ChunkLoadErrorProps {
  /** Draws the page again. */
  onArrived: () => void;
}

/** In the place of a page whose code did not arrive: it is asked for again until it comes. */
export function ChunkLoadError({ onArrived }: ChunkLoadErrorProps) {
  const t = useTranslate();
  const [state, setState] = useState<'away' | 'replaced'>('away');
  const [trying, setTrying] = useState(false);
  const attempt = useCallback(async () => {
    setTrying(true);
    try {
      await fetchMissingCode();
      onArrived();
    } catch {
      // The server answers and the file still does not come: it is another build by now.
      if ((await isReachable()) && !reloadOnce()) setState('replaced');
    } finally {
      setTrying(false);
    }
  }, [onArrived]);
  useEffect(() => {
    const timer = setInterval(() => void attempt(), againMs);
    const now = () => void attempt();
    window.addEventListener('online', now);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', now);
    };
  }, [attempt]);

  if (state === 'replaced') {
    return (
      <EmptyState
        page
        icon={<RefreshCw size={20} />}
        title={t(text.updated)}
        action={<Button onClick={() => window.location.reload()}>{t(text.reload)}</Button>}
      />
    );
  }
  return (
    <EmptyState
      page
      tone="bad"
      icon={<CloudOff size={20} />}
      title={t(text.unreachable)}
      hint={t(text.unreachableSoon)}
      action={
        <Button loading={trying} onClick={() => void attempt()}>
          {t(text.retry)}
        </Button>
      }
    />
  );
}
