import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { Message } from '../base/types.ts';

/** Nearer to the end than this, in pixels, counts as being there. */
const nearPx = 60;

interface StickToBottom {
  frame: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  toEnd: () => void;
}

/** Keeps the end of a growing list in sight, until the reader scrolls up to read; a new question leads back. */
export function useStickToBottom(messages: readonly Message[]): StickToBottom {
  const frame = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const count = messages.length;

  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    const look = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
      sticks.current = isNear;
      setAtEnd(isNear);
    };
    box.addEventListener('scroll', look, { passive: true });
    // Images and highlighting change heights after the text is rendered.
    const watcher = new ResizeObserver(() => {
      if (sticks.current) box.scrollTop = box.scrollHeight;
    });
    if (box.firstElementChild) watcher.observe(box.firstElementChild);
    watcher.observe(box);
    return () => {
      box.removeEventListener('scroll', look);
      watcher.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    sticks.current = true;
    if (frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [count]);

  const toEnd = () => {
    sticks.current = true;
    frame.current?.scrollTo({ top: frame.current.scrollHeight, behavior: 'smooth' });
  };
  return { frame, atEnd, toEnd };
}
