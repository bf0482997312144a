import { useEffect, useState } from 'react';

/** Seconds that a button waits after a mail was sent. */
const resendSeconds = 30;

/** Counts down in seconds from its start; 0 at the end. */
export function useCountdown(): { left: number; start(): void } {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return { left, start: () => setLeft(resendSeconds) };
}
