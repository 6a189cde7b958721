// A part of a page that stands alone: gzip, in letters.

/** The bytes of a part. */
export function unpack(letters) {
  const plain = atob(letters);
  const bytes = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer().then((found) => new Uint8Array(found));
}

export async function unpack_json(letters) {
  return JSON.parse(new TextDecoder().decode(await unpack(letters)));
}
