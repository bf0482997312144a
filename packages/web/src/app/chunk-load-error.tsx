import { product } from '@tollgate/contract';
import { Button } from '@mantine/core';
import { CloudOff, RefreshCw } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { isReachable } from '../lib/api/api-client.ts';
import { useTranslate } from '../lib/i18n.ts';
import { fetchMissingCode } from '../lib/lazy.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { text } from './text.ts';

/** Interval between two attempts, in ms. */
const againMs = 3000;

/** Within this time after a reload, in ms, another reload does not help. */
const reloadedMs = 60_000;
const reloadedKey = `${product.id}:reloaded`;

/**
 * Reloads the window once: a new build has other file names, and browsers may cache the failure of a module. Pages with
 * unsaved input ask first. Returns false if the window was reloaded just before.
 */
function reloadOnce(): boolean {
  try {
    const last = Number(window.sessionStorage.getItem(reloadedKey));
    if (Date.now() - last < reloadedMs) return false;
    window.sessionStorage.setItem(reloadedKey, String(Date.now()));
  } catch {
    // Without storage the page might reload in a loop.
    return false;
  }
  window.location.reload();
  return true;
}

interface ChunkLoadErrorProps {
  /** Draws the page again. */
  onArrived: () => void;
}

/** Shown instead of a page whose code failed to load. Retries until it loads. */
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
      // The server is reachable and the file is missing: there is a new build.
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
