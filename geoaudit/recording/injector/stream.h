/* The recorder's stream: what the injected library writes and geoaudit/recording/stream.py reads.
 *
 * A file header, then blocks. A block is a header and `count` records of one kind and size; names
 * are the one kind of varying size. All integers are little-endian. A file that ends inside a
 * block was cut there: everything before is whole.
 */
#ifndef GEOAUDIT_STREAM_H
#define GEOAUDIT_STREAM_H

#include <stdint.h>

#define GEOAUDIT_STREAM_MAGIC "GEOAUDIT"
#define GEOAUDIT_STREAM_VERSION 2
#define GEOAUDIT_NO_CUPTI 100000u /* beyond CUPTI's own results */
#define GEOAUDIT_BLOCK_MAGIC 0x4b4c4247u /* "GBLK" */

enum block_kind {
    BLOCK_KERNELS = 1,
    BLOCK_COPIES = 2,
    BLOCK_NAMES = 3,
    BLOCK_DEVICES = 4,
    BLOCK_CONTEXTS = 5,
    BLOCK_MARKERS = 6,
    BLOCK_LAUNCHES = 7,
    BLOCK_STATUS = 8,
};

struct file_header {
    char magic[8];
    uint32_t version;
    uint32_t process;
    uint32_t cupti_version;
    uint32_t driver_version;
    uint64_t started_ns;  /* CUPTI's clock */
    int32_t rank;         /* of a distributed run; -1: none told */
    int32_t ranks;        /* that the run has; -1: none told */
    float mps_percentage; /* of the SMs, that MPS leaves the process; 0: none told */
    uint32_t padding;
    char program[24];     /* name of the process, ended by a zero byte */
    uint32_t checksum;    /* Adler-32 of all before it */
    int32_t write_error;  /* errno of the write after which nothing more was written; 0: none */
};

struct block_header {
    uint32_t magic;
    uint32_t kind;
    uint32_t record_bytes; /* 0 for names */
    uint32_t count;
    uint32_t payload_bytes;
    uint32_t checksum; /* Adler-32 of all before it in this header, and of the payload */
};

struct kernel_record {
    uint64_t start_ns, end_ns; /* both 0: CUPTI has no time for it */
    uint64_t graph_node_id;    /* 0: not launched by a graph */
    uint32_t name_id, device, context, stream, correlation_id, graph_id;
    int32_t grid[3], block[3];
    uint32_t cluster[3]; /* 0, 0, 0: none */
    uint32_t static_shared_bytes, dynamic_shared_bytes, shared_config_bytes;
    uint32_t max_active_clusters;
    uint16_t registers_per_thread;
    uint8_t launch_type;
    uint8_t padding;
};

struct copy_record {
    uint64_t start_ns, end_ns, bytes, graph_node_id;
    uint32_t device, context, stream, correlation_id, graph_id;
    uint8_t is_set, copy_kind, source_kind, destination_kind;
};

struct device_record {
    char name[96];
    uint8_t uuid[16];
    uint64_t memory_bytes;
    uint32_t device, capability_major, capability_minor, sm_count, threads_per_warp;
    uint32_t max_warps_per_sm, max_blocks_per_sm, registers_per_sm, shared_bytes_per_sm;
    uint32_t l2_bytes, is_mig, padding;
};

struct context_record {
    uint32_t context, device, sm_count, is_green; /* sm_count 0: not told */
};

struct marker_record {
    uint64_t timestamp_ns;
    uint32_t marker_id, flags, thread, name_id, domain_id, padding; /* name_id 0: none */
};

/* Where and when a launch was made, so that it can be put into the ranges of its thread. */
struct launch_record {
    uint64_t timestamp_ns;
    uint32_t correlation_id, thread;
};

/* Counts since the start; the last status of a file holds. */
struct status_record {
    uint64_t timestamp_ns, launches_seen, graph_launches_seen, launches_failed;
    uint64_t launches_captured; /* into a graph: calls that launch nothing */
    uint64_t kernel_records, dropped_records, untimed_records;
    uint32_t error;    /* a CUPTI result, GEOAUDIT_NO_CUPTI; 0: none */
    uint32_t finished; /* 1: the process ended in order */
};

#endif
