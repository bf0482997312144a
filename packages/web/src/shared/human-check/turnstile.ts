/** The used part of the widget's script (Cloudflare Turnstile, explicit rendering). */
export interface Turnstile {
  /** Returns the widget's id. */
  render(
    place: HTMLElement,
    options: {
      sitekey: string;
      language: string;
      callback(answer: string): void;
      'expired-callback'(): void;
      'error-callback'(): void;
    },
  ): string;
  reset(id: string): void;
  remove(id: string): void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

let loading: Promise<Turnstile> | undefined;

/** Loads the widget's script once. Rejects when it cannot be loaded; the next call tries again. */
export function loadTurnstile(serviceUrl: string): Promise<Turnstile> {
  loading ??= new Promise<Turnstile>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${serviceUrl}/turnstile/v0/api.js?render=explicit`;
    script.async = true;
    script.onload = () => (window.turnstile ? resolve(window.turnstile) : reject(new Error('no widget')));
    script.onerror = () => {
      script.remove();
      reject(new Error('the script of the human check did not load'));
    };
    document.head.append(script);
  });
  loading.catch(() => (loading = undefined));
  return loading;
}
