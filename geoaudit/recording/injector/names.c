/* Names of kernels, ranges and domains. They live as long as the process: a string that NVTX
 * registered is used in every later recording. */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

struct name {
    struct name *next; /* of the same slot */
    uint32_t number;
    unsigned recording; /* that the number is of */
    char text[];
};

#define TOO_MANY "(too many names)"
#define MOST_NAMES (1u << 20) /* "token 123", "token 124", …: all later ones are one name */

static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;
static struct name **slots;
static size_t slot_count, name_count;
static uint32_t next_number = 1;
static char *new_names;
static size_t new_bytes, new_room, new_count;

/* FNV-1a. */
static size_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
        hash = (hash ^ *byte) * 0x100000001b3ull;
    return hash ^ hash >> 32;
}

/* At most two names a slot, on average. */
static int grow(void)
{
    if (name_count < 2 * slot_count)
        return 1;
    size_t count = slot_count ? slot_count * 4 : 1024;
    struct name **larger = calloc(count, sizeof *larger);
    if (!larger)
        return slot_count > 0;
    for (size_t slot = 0; slot < slot_count; slot++)
        for (struct name *name = slots[slot], *next; name; name = next) {
            next = name->next;
            struct name **place = &larger[hash_of(name->text) % count];
            name->next = *place;
            *place = name;
        }
    free(slots);
    slots = larger;
    slot_count = count;
    return 1;
}

static struct name *find_or_add(const char *text)
{
    if (!grow())
        return NULL;
    struct name **slot = &slots[hash_of(text) % slot_count];
    struct name *name = *slot;
    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    if (name)
        return name;
    if (name_count >= MOST_NAMES && strcmp(text, TOO_MANY) != 0)
        return find_or_add(TOO_MANY);
    size_t bytes = strlen(text) + 1;
    if (!(name = malloc(sizeof *name + bytes)))
        return NULL;
    name->next = *slot;
    name->recording = 0;
    memcpy(name->text, text, bytes);
    *slot = name;
    name_count++;
    return name;
}

struct name *intern(const char *text)
{
    if (!text)
        return NULL;
    take_lock(&naming);
    struct name *name = find_or_add(text);
    give_lock(&naming);
    return name;
}

int is_name(const struct name *name, const char *text)
{
    return strcmp(name->text, text) == 0;
}

static void queue(uint32_t number, const char *text)
{
    uint32_t length = (uint32_t)strlen(text);
    size_t bytes = 2 * sizeof(uint32_t) + length;
    if (new_bytes + bytes > new_room) {
        size_t room = (new_bytes + bytes) * 2;
        char *larger = realloc(new_names, room);
        if (!larger)
            return;
        new_names = larger;
        new_room = room;
    }
    memcpy(new_names + new_bytes, &number, sizeof number);
    memcpy(new_names + new_bytes + sizeof number, &length, sizeof length);
    memcpy(new_names + new_bytes + 2 * sizeof number, text, length);
    new_bytes += bytes;
    new_count++;
}

uint32_t name_number(struct name *name)
{
    if (!name)
        return 0;
    take_lock(&naming);
    unsigned recording = atomic_load(&recordings_started);
    if (name->recording != recording) {
        name->recording = recording;
        name->number = next_number++;
        queue(name->number, name->text);
    }
    uint32_t number = name->number;
    give_lock(&naming);
    return number;
}

void write_names(void)
{
    take_lock(&naming);
    write_block(BLOCK_NAMES, 0, new_count, new_names, new_bytes);
    new_bytes = new_count = 0;
    give_lock(&naming);
}

void forget_numbers(void)
{
    take_lock(&naming);
    new_bytes = new_count = 0;
    next_number = 1;
    give_lock(&naming);
}

/* Another thread may have held the lock in the middle of anything: the child names all anew. What
 * NVTX handed out before stays valid, and is told by the text it holds. */
void names_after_fork(void)
{
    pthread_mutex_init(&naming, NULL);
    slots = NULL;
    slot_count = name_count = 0;
    new_names = NULL;
    new_bytes = new_room = new_count = 0;
}
