/**
 * RC queue pairs between processes of one host, over memory that both have mapped: no daemon, no
 * root, no file left behind.
 */
package io.sdp4j.fabric.shm;
