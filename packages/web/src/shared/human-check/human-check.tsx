import { useEffect, useRef, useState } from 'react';
import { useStatus } from '../../lib/api/status.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { loadTurnstile, type Turnstile } from './turnstile.ts';
import { checkText } from './text.ts';

/** The human check of a form: its answer, and the widget to show. */
export interface HumanCheckState {
  /** The answer for the call; '' if there is none or none is required. */
  answer: string;
  /** True while the form must wait for the widget. */
  isPending: boolean;
  /** Requests a new answer: each is valid for one call. */
  renew: () => void;
  widget: React.ReactNode;
}

/** The human check, if the site requires one. */
export function useHumanCheck(): HumanCheckState {
  const status = useStatus();
  const [answer, setAnswer] = useState('');
  const [round, setRound] = useState(0);
  if (!status?.turnstile_check) return { answer: '', isPending: false, renew: () => undefined, widget: null };
  return {
    answer,
    isPending: answer === '',
    renew() {
      setAnswer('');
      setRound((before) => before + 1);
    },
    widget: (
      <Widget
        siteKey={status.turnstile_site_key}
        serviceUrl={status.turnstile_url}
        round={round}
        onAnswer={setAnswer}
      />
    ),
  };
}

interface WidgetProps {
  siteKey: string;
  /** Origin of the service. */
  serviceUrl: string;
  /** Incremented for each new answer. */
  round: number;
  onAnswer: (answer: string) => void;
}

function Widget({ siteKey, serviceUrl, round, onAnswer }: WidgetProps) {
  const t = useTranslate();
  const language = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<{ turnstile: Turnstile; id: string } | undefined>(undefined);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let gone = false;
    loadTurnstile(serviceUrl).then(
      (turnstile) => {
        if (gone || !place.current) return;
        const id = turnstile.render(place.current, {
          sitekey: siteKey,
          language,
          callback: onAnswer,
          'expired-callback': () => onAnswer(''),
          'error-callback': () => setFailed(true),
        });
        shown.current = { turnstile, id };
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      shown.current?.turnstile.remove(shown.current.id);
      shown.current = undefined;
    };
  }, [siteKey, serviceUrl, language, onAnswer]);

  useEffect(() => {
    if (round > 0) shown.current?.turnstile.reset(shown.current.id);
  }, [round]);

  if (failed) return <Notice tone="bad">{t(checkText.checkFailed)}</Notice>;
  return <div ref={place} style={{ minHeight: 65 }} aria-label={t(checkText.humanCheck)} role="group" />;
}
