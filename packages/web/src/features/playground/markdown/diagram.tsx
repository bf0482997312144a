import { Skeleton, useComputedColorScheme } from '@mantine/core';
import mermaid from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { useEffect, useState } from 'react';
import { texts, useTranslate } from '../../../lib/i18n.ts';
import { Notice } from '../../../ui/notice.tsx';
import classes from './markdown.module.css';

const text = texts({
  diagram: { zh: '由上方代码绘制的图', en: 'The picture that the code above draws' },
  noDiagram: { zh: '这段代码画不出图。', en: 'No picture can be drawn from this code.' },
});

/** Timeout for loading the library and drawing, in ms. */
const patienceMs = 30_000;

interface Drawing {
  src: string;
  width: number;
  height: number;
}

/**
 * Draws a diagram in a frame without an origin, whose policy permits only our two scripts: a diagram can reference
 * pictures and styles of other hosts. The result is shown as an image, which runs no scripts either. Rejects if the code
 * is no diagram. `public/diagram.js` is the other side.
 */
function draw(code: string, dark: boolean, signal: AbortSignal): Promise<Drawing> {
  const script = (path: string) => `<script src="${new URL(path, window.location.origin).href}"></script>`;
  const frame = document.createElement('iframe');
  frame.sandbox.add('allow-scripts');
  frame.setAttribute('aria-hidden', 'true');
  frame.tabIndex = -1;
  // Letters can only be measured in a frame with a size.
  frame.style.cssText =
    'position:fixed;left:-9999px;top:0;width:1200px;height:900px;border:0;visibility:hidden';
  frame.srcdoc =
    `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
    `script-src ${window.location.origin}; style-src 'unsafe-inline'"><body>${script(mermaid)}${script('/diagram.js')}`;
  return new Promise<Drawing>((resolve, reject) => {
    const end = new AbortController();
    const finish = () => {
      end.abort();
      frame.remove();
      reject(new Error('no diagram'));
    };
    AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]).addEventListener('abort', finish);
    window.addEventListener(
      'message',
      ({ source, data }: MessageEvent<'ready' | { svg: string; width: number; height: number } | null>) => {
        if (source !== frame.contentWindow) return;
        // A frame without an origin has no name for a target origin.
        if (data === 'ready') return frame.contentWindow?.postMessage({ code, dark }, '*');
        if (data) {
          const { svg, width, height } = data;
          resolve({ src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, width, height });
        }
        finish();
      },
      { signal: end.signal },
    );
    document.body.append(frame);
  });
}

/** The picture of a diagram's code. */
export function Diagram({ code }: { code: string }) {
  const t = useTranslate();
  const dark = useComputedColorScheme() === 'dark';
  const [drawing, setDrawing] = useState<Drawing | 'failed' | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    draw(code, dark, gone.signal).then(
      (made) => setDrawing(made),
      () => !gone.signal.aborted && setDrawing('failed'),
    );
    return () => gone.abort();
  }, [code, dark]);
  if (drawing === 'failed') return <Notice tone="warn">{t(text.noDiagram)}</Notice>;
  if (!drawing) return <Skeleton height={160} />;
  return (
    // Wide diagrams scroll, so the frame must be focusable for the arrow keys.
    <div className={classes.diagram} tabIndex={0} role="group" aria-label={t(text.diagram)}>
      <img {...drawing} alt={t(text.diagram)} />
    </div>
  );
}
