/** Image types that browsers show and vendors read. */
export const imageTypes = 'image/png,image/jpeg,image/webp,image/gif';

/** Maximum number of images per message. */
export const maxImages = 6;

/** The longest side sent, in pixels: vendors shrink larger images, and bill them all the same. */
const maxSide = 1568;
/** Files up to this size, in bytes, are sent unchanged. */
const plainBytes = 600_000;

/** The images among files; others are left out. */
export const imagesAmong = (files: Iterable<File>): File[] =>
  [...files].filter(({ type }) => imageTypes.split(',').includes(type));

function readAsDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () =>
      typeof reader.result === 'string' ? resolve(reader.result) : reject(new Error('no text')),
    );
    reader.addEventListener('error', () => reject(reader.error ?? new Error('not readable')));
    reader.readAsDataURL(file);
  });
}

/** An image as a data URL, scaled down if it is large. Rejects files that are no images. */
export async function toDataUrl(file: File): Promise<string> {
  const picture = await createImageBitmap(file);
  const shrink = Math.min(1, maxSide / Math.max(picture.width, picture.height));
  if (shrink === 1 && file.size <= plainBytes) {
    picture.close();
    return readAsDataUrl(file);
  }
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * shrink);
  canvas.height = Math.round(picture.height * shrink);
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('no canvas');
  // Transparent parts would become black.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.toDataURL('image/jpeg', 0.86);
}
