// Shows the OpenAPI document of this server, as the session of this browser sees it.
const place = document.getElementById("api");
const note = document.getElementById("note");

async function show() {
  const response = await fetch(place.dataset.document, { headers: { Accept: "application/json" } });
  if (!response.ok) {
    note.hidden = false;
    return;
  }
  SwaggerUIBundle({
    spec: await response.json(),
    domNode: place,
    deepLinking: true,
    docExpansion: "none",
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
  });
}

show().catch(() => {
  note.hidden = false;
});
