import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { Geometry } from './geometry.ts';

/** Step of each key. */
const keySteps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7 };

/** The highlighted bar, by pointer, finger or keys, and its opening. */
export function useBarChoice(
  count: number,
  { left, plotWidth, slot }: Geometry,
  onOpen: (index: number) => void,
) {
  const [active, setActive] = useState<number | null>(null);
  const [pressed, setPressed] = useState<number | null>(null);
  const shown = active !== null && active < count ? active : null;
  const last = count - 1;

  const indexAt = (event: PointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    return x < 0 || x > plotWidth ? null : Math.min(last, Math.floor(x / slot));
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const index = indexAt(event);
    // A finger cannot hover: its first tap on a bar shows the tooltip, the second one opens the bar.
    setPressed(event.pointerType === 'touch' && index !== shown ? null : index);
    setActive(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = keySteps[event.key];
    if (step !== undefined) setActive(shown === null ? last : Math.min(last, Math.max(0, shown + step)));
    else if (event.key === 'Home') setActive(0);
    else if (event.key === 'End') setActive(last);
    else if (event.key === 'Enter' && shown !== null) onOpen(shown);
    else if (event.key === 'Escape') setActive(null);
    else return;
    event.preventDefault();
  };
  return {
    shown,
    handlers: {
      onKeyDown,
      onBlur: () => setActive(null),
      onPointerMove: (event: PointerEvent<HTMLElement>) => setActive(indexAt(event)),
      // A finger leaves when it is lifted; the tapped bar stays highlighted until another one is.
      onPointerLeave: (event: PointerEvent<HTMLElement>) => event.pointerType !== 'touch' && setActive(null),
      onPointerDown,
      onClick: () => pressed !== null && onOpen(pressed),
    },
  };
}
