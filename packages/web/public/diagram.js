// Draws the diagram that the page sends, in the frame of src/features/playground/markdown/diagram.tsx.
{
  const draw = async (data) => {
    window.mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      theme: data.dark ? 'dark' : 'neutral',
      // An image has none of the letters of this site: those of the system are measured and shown.
      fontFamily: 'sans-serif',
    });
    try {
      const { svg } = await window.mermaid.render('diagram', data.code);
      const [, width = 600, height = 400] = /viewBox="\S+ \S+ (\S+) (\S+)"/.exec(svg) || [];
      // As an image it has the size of its drawing.
      const sized = svg.replace(/ width="100%"/, ` width="${width}" height="${height}"`);
      window.parent.postMessage({ svg: sized, width: Math.ceil(width), height: Math.ceil(height) }, '*');
    } catch {
      window.parent.postMessage(null, '*');
    }
  };
  window.addEventListener('message', ({ source, data }) => {
    if (source === window.parent) void draw(data);
  });
  window.parent.postMessage('ready', '*');
}
