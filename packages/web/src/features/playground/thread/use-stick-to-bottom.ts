import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { Message } from '../base/types.ts';

/** Distance in pixels that counts as the end. */
const nearPx = 60;

interface StickToBottom {
  frame: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  toEnd: () => void;
}

/** Keeps the end of a growing list visible until the reader scrolls up; a new question scrolls to the end. */
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
